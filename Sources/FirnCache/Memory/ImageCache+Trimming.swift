import FirnImage
import FirnSync
import Synchronization

// How the cache lets go of images.
extension ImageCache {
    /// Removes every image. The counts of ``statistics`` go on.
    public func removeAll() {
        let old = state.withLock { state in
            let old = state.table
            state.table = AdaptiveTable(capacity: state.limits.bytes)
            account?.set(to: 0)
            return old
        }
        drop(old.allValues)
    }

    /// Removes images until at most `cost` bytes are held. Those that others hold stay.
    public func trim(toCost cost: Int) {
        shrink { $0.cost > cost }
    }

    /// Removes images until at most `count` are held. Those that others hold stay.
    public func trim(toCount count: Int) {
        shrink { $0.count > count }
    }

    /// Drops images until the cache is within ``ImageCacheLimits/backgroundLevel`` of its limits, in the order in which
    /// they would be evicted. Images that others hold, such as views, stay. Entries come back as they are loaded again.
    public func didEnterBackground() {
        let limits = limits
        let bytes = ImageCacheLimits.share(limits.backgroundLevel, of: limits.bytes)
        let count = ImageCacheLimits.share(limits.backgroundLevel, of: limits.count)
        shrink { $0.cost > bytes || $0.count > count }
    }

    /// Holds the cache to other limits.
    func change(to limits: ImageCacheLimits) {
        hasAge.store(limits.age != nil, ordering: .relaxed)
        state.withLock { state in
            state.limits = limits
            state.table.setCapacity(min(limits.bytes, account?.room ?? .max))
        }
        shrink { $0.cost > limits.bytes || $0.count > limits.count }
    }

    /// Removes images until the budget's other users have what they need.
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
        state.table.setCapacity(min(state.limits.bytes, room))
        if state.table.cost > room { shrink(&state, into: &released, passingOver: most) { $0.cost > room } }
        account.set(to: state.table.cost)
    }

    /// Evicts images that only the cache holds, in the order of the eviction policy.
    ///
    /// - Parameters:
    ///   - newest: the slot of an image that stays in any case.
    ///   - most: how many images of others may be passed over. They come behind the others.
    func shrink(
        _ state: inout State, into released: inout [ImageContainer], sparing newest: Int32 = SlotList.none,
        passingOver most: Int = mostPassedOver, while excess: (borrowing Table) -> Bool
    ) {
        var passed: [Int32] = []
        while excess(state.table), let victim = state.table.nextVictim(after: passed.last ?? SlotList.none) {
            if victim == newest || state.table.withValue(at: victim, { $0.image.isHeldElsewhere() }) ?? false {
                guard passed.count < most else { break }
                passed.append(victim)
            } else if let old = state.table.take(victim) {
                released.append(old.value)
                state.evictions += 1
            }
        }
        for slot in passed { state.table.passOver(slot) }
    }

    /// Frees what was let go of. Called without the lock.
    func drop(_ released: consuming [ImageContainer]) {
        for container in released { container.image.noteReleased() }
    }

    private func shrink(while excess: (borrowing Table) -> Bool) {
        let released = state.withLock { state in
            var released: [ImageContainer] = []
            shrink(&state, into: &released, passingOver: .max, while: excess)
            account?.set(to: state.table.cost)
            return released
        }
        drop(released)
    }
}
