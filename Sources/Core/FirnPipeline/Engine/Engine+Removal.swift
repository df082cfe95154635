import FirnImage

// Removal of what is being loaded and stored.
extension Engine {
    /// Drops pending stores, and keeps running loads from entering caches when they end. Tasks that are added later do
    /// not join these loads. Returns when no cache is being called to store what was dropped.
    ///
    /// Order: called before anything is removed from the caches.
    /// - Parameters:
    ///   - layers: the caches that the loads may not enter.
    ///   - isLoad: whether the load of a request is meant.
    ///   - isStore: whether a pending store is meant.
    func forget(
        _ layers: ImagePipeline.Cache.Caches, loads isLoad: (ImageRequest) -> Bool,
        stores isStore: (PendingStore) -> Bool
    ) {
        // Order: under the lock of the table, under which stores are added.
        let dropped = shell.change { state in
            let closed = state.table.close(where: { isLoad($0.request) }, orWith: { isLoad($0.request) })
            for job in closed { job.forget(layers) }
            return environment.pending.drop(where: isStore)
        }
        environment.pyramids.cancel(where: isLoad)
        for store in dropped { store.waitForCall() }
    }

    /// Drops everything that is pending, and keeps running loads from entering caches.
    func forgetAll(_ layers: ImagePipeline.Cache.Caches) {
        forget(layers, loads: { _ in true }, stores: { _ in true })
    }

    /// Drops pending stores of an older version of what the program stores itself.
    func dropStores(of name: PendingStore.Name) {
        for store in environment.pending.drop(where: { $0.names.contains(name) }) { store.waitForCall() }
    }
}
