public import FirnImage
import Synchronization

// Removal of images.
extension ImageCache {
    /// Removes all images. The counts in ``statistics`` continue.
    public func removeAll() {
        change { state, images, released in
            state.table = AdaptiveTable(capacity: state.limits.bytes)
            account?.set(to: 0)
            released = images.removeAll()
        }
    }

    /// Removes the images whose keys `isUnwanted` accepts. Calls it under the cache's locks.
    ///
    /// - Complexity: O(images in the cache).
    public func removeImages(where isUnwanted: (ImageCacheKey) -> Bool) {
        change { state, images, released in
            released = images.allKeys.filter(isUnwanted).compactMap { remove($0, &state, &images) }
            if !released.isEmpty { account?.set(to: state.table.cost) }
        }
    }

    /// Evicts images until at most `cost` bytes are held. Images that are also held elsewhere stay.
    public func trim(toCost cost: Int) {
        shrink { $0.cost > cost }
    }

    /// Evicts images until at most `count` are held. Images that are also held elsewhere stay.
    public func trim(toCount count: Int) {
        shrink { $0.count > count }
    }

    /// Evicts images until the cache is within the background level of its limits. Images that are also
    /// held elsewhere, such as by views, stay. Later loads fill the cache again.
    public func didEnterBackground() {
        let limits = limits
        let bytes = ImageCacheLimits.share(limits.backgroundLevel, of: limits.bytes)
        let count = ImageCacheLimits.share(limits.backgroundLevel, of: limits.count)
        shrink { $0.cost > bytes || $0.count > count }
    }

    /// Applies new limits.
    func change(to limits: ImageCacheLimits) {
        hasAge.store(limits.age != nil, ordering: .relaxed)
        change { state, images in
            state.limits = limits
            images.age = limits.age?.nanoseconds
            state.table.setCapacity(min(limits.bytes, account?.room ?? .max))
        }
        shrink { $0.cost > limits.bytes || $0.count > limits.count }
    }

    /// Evicts images until the other users of the budget have the memory they need.
    func shrinkToRoom() {
        change { keepWithinRoom(&$0, &$1, into: &$2, passingOver: .max) }
    }

    /// Shrinks the cache to its share of the budget and reports the resulting size.
    ///
    /// Order: under the lock of `state`, so that the reported size is exact.
    func keepWithinRoom(
        _ state: inout State, _ images: inout HeldImages, into released: inout [ImageContainer],
        passingOver most: Int = maximumPassedOver
    ) {
        guard let account else { return }
        let room = account.room
        state.table.setCapacity(min(state.limits.bytes, room))
        if state.table.cost > room {
            shrink(&state, &images, into: &released, passingOver: most) { $0.cost > room }
        }
        account.set(to: state.table.cost)
    }

    /// Evicts images that only the cache holds, in the order of the eviction policy.
    ///
    /// - Parameters:
    ///   - newest: the slot of an image that must stay.
    ///   - most: the maximum number of images held elsewhere to skip. They move behind the others.
    func shrink(
        _ state: inout State, _ images: inout HeldImages, into released: inout [ImageContainer],
        sparing newest: Int32 = SlotList.none, passingOver most: Int = maximumPassedOver,
        while excess: (borrowing AdaptiveTable) -> Bool
    ) {
        var passed: [Int32] = []
        while excess(state.table), let victim = state.table.nextVictim(after: passed.last ?? SlotList.none) {
            if victim == newest || images.isHeldElsewhere(victim) {
                guard passed.count < most else { break }
                passed.append(victim)
            } else if state.table.take(victim), let old = images.remove(at: victim) {
                released.append(old)
                state.evictions += 1
            }
        }
        for slot in passed { state.table.passOver(slot) }
    }

    /// Frees removed images. Called without a lock.
    func drop(_ released: consuming [ImageContainer]) {
        for container in released { container.image.noteReleased() }
    }

    private func shrink(while excess: (borrowing AdaptiveTable) -> Bool) {
        change { state, images, released in
            shrink(&state, &images, into: &released, passingOver: .max, while: excess)
            account?.set(to: state.table.cost)
        }
    }
}
