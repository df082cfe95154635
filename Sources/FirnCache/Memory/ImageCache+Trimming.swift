import FirnImage
import FirnSync

// How the cache lets go of pictures.
extension ImageCache {
    /// Removes every picture. The counts of ``statistics`` go on.
    public func removeAll() {
        let old = state.withLock { state in
            let old = state.table
            state.table = LRUTable()
            account?.set(to: 0)
            return old
        }
        drop(old.entries.map(\.value))
    }

    /// Lets go of the least recently used pictures until at most `cost` bytes are held. Those that others hold stay.
    public func trim(toCost cost: Int) {
        shrink { $0.cost > cost }
    }

    /// Lets go of the least recently used pictures until at most `count` are held. Those that others hold stay.
    public func trim(toCount count: Int) {
        shrink { $0.count > count }
    }

    /// Lets go of pictures until the budget's other users have what they need.
    func shrinkToRoom() {
        let released = state.withLock { state in
            var released: [ImageContainer] = []
            keepWithinRoom(&state, into: &released, passingOver: .max)
            return released
        }
        drop(released)
    }

    /// Keeps to what the budget leaves the cache, and tells it what that has become.
    ///
    /// Order: under the cache's lock, so that what the budget knows is what the cache has.
    func keepWithinRoom(
        _ state: inout State, into released: inout [ImageContainer], passingOver most: Int = mostPassedOver
    ) {
        guard let account else { return }
        let room = account.room
        if state.table.cost > room { shrink(&state, into: &released, passingOver: most) { $0.cost > room } }
        account.set(to: state.table.cost)
    }

    /// Lets go of the least recently used pictures that nobody else holds.
    ///
    /// - Parameters:
    ///   - newest: how many of the most recently used stay in any case.
    ///   - most: how many pictures of others may be passed over. They become the most recently used.
    func shrink(
        _ state: inout State, into released: inout [ImageContainer], sparing newest: Int = 0,
        passingOver most: Int = mostPassedOver,
        while excess: (borrowing LRUTable<ImageCacheKey, ImageContainer>) -> Bool
    ) {
        var passed = 0
        // Every picture is looked at once: those passed over come to lie behind the newest.
        var left = state.table.count - newest
        while left > 0, excess(state.table) {
            left -= 1
            if state.table.withLeastRecent({ $0.image.isHeldElsewhere() }) ?? false {
                guard passed < most else { return }
                passed += 1
                state.table.passOverLeastRecent()
            } else if let victim = state.table.leastRecent {
                if let old = state.table.remove(victim.key) { released.append(old.value) }
                state.evictions += 1
            }
        }
    }

    /// Frees what was let go of. Called without the lock.
    func drop(_ released: consuming [ImageContainer]) {
        for container in released { container.image.noteReleased() }
    }

    private func shrink(while excess: (borrowing LRUTable<ImageCacheKey, ImageContainer>) -> Bool) {
        let released = state.withLock { state in
            var released: [ImageContainer] = []
            shrink(&state, into: &released, passingOver: .max, while: excess)
            account?.set(to: state.table.cost)
            return released
        }
        drop(released)
    }
}
