import FirnSync

// The cache of partial bodies in the same folder, and less valuable stores on the same disk.
extension DataCache {
    /// The cache of partial bodies, and the stores that free space for this cache.
    struct Companions {
        struct Neighbor {
            weak var store: BitmapStore?
        }

        var partialBodies: DataCache?
        var neighbors: [Neighbor] = []
    }

    /// The cache of incomplete bodies, in the subdirectory `partial`.
    package var partialBodies: DataCache {
        companions.withLock { companions in
            if let made = companions.partialBodies { return made }
            let made = DataCache(
                directory: placement.folder, limits: .partialBodies, isShared: placement.isShared,
                subdirectory: "partial", isOptional: placement.isOptional, fileSystem: fileSystem, now: now,
                reclaim: ownReclaim)
            made.companions.withLock { $0.neighbors = companions.neighbors }
            companions.partialBodies = made
            return made
        }
    }

    /// Evicts a store's images before entries of this cache if the disk is full: images can be decoded again.
    ///
    /// Does nothing for a store on another disk. Does not retain the store.
    package func takesRoom(from store: BitmapStore) {
        let partialBodies = companions.withLock { companions in
            companions.neighbors.removeAll { $0.store == nil || $0.store === store }
            companions.neighbors.append(Companions.Neighbor(store: store))
            return companions.partialBodies
        }
        partialBodies?.takesRoom(from: store)
    }

    /// Frees bytes of less valuable files on the same disk and returns their number; `nil` if there are no such files.
    var reclaim: (@Sendable (Int) -> Int)? {
        let stores = companions.withLock { $0.neighbors.compactMap(\.store) }
        guard !stores.isEmpty else { return ownReclaim }
        return { [ownReclaim, fileSystem, directory = placement.folder] bytes in
            var freed = ownReclaim?(bytes) ?? 0
            for store in stores where freed < bytes {
                guard let own = try? store.fileSystem.status(store.folder),
                    let other = try? fileSystem.status(directory), own.device == other.device
                else { continue }
                freed = freed.saturatingAdd(store.reclaim(bytes - freed))
            }
            return freed
        }
    }
}
