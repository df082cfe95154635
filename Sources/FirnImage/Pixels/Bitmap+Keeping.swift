import Synchronization

// Counts the cache entries that hold an image.
extension Bitmap {
    /// Counts a cache entry that was added.
    package func noteKept() { storage.keepers.wrappingAdd(1, ordering: .relaxed) }

    /// Uncounts a cache entry that was removed.
    package func noteReleased() { storage.keepers.wrappingSubtract(1, ordering: .relaxed) }

    /// Returns whether other code than a cache holds the pixels, so that evicting them would free nothing.
    ///
    /// Call it on the cache's own value in place, because a copy counts as another holder. An image in several entries
    /// counts as not held: otherwise they would keep it forever.
    package mutating func isHeldElsewhere() -> Bool {
        !isKnownUniquelyReferenced(&storage) && storage.keepers.load(ordering: .relaxed) <= 1
    }
}
