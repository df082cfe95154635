import Synchronization

// What a cache needs to know of the pixels it keeps.
extension Bitmap {
    /// An entry of a cache has been made of the image.
    package func noteKept() { storage.keepers.wrappingAdd(1, ordering: .relaxed) }

    /// An entry of a cache has been removed.
    package func noteReleased() { storage.keepers.wrappingSubtract(1, ordering: .relaxed) }

    /// Whether somebody other than a cache has the pixels, so that nothing would be freed if the cache let go of them.
    ///
    /// Asked of the cache's own value in place: a copy of it would be somebody else.
    /// An image that several entries keep is taken for free: together they would keep it forever.
    package mutating func isHeldElsewhere() -> Bool {
        !isKnownUniquelyReferenced(&storage) && storage.keepers.load(ordering: .relaxed) <= 1
    }
}
