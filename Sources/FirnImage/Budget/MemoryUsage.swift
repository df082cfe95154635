/// What a ``MemoryBudget`` is used for, in bytes.
package struct MemoryUsage: Hashable, Sendable {
    /// What may be used at the moment.
    package var limit: Int
    /// Decodes under way, by estimate.
    package var decoding: Int
    /// Frames of animations.
    package var animations: Int
    /// Images in memory caches.
    package var kept: Int

    /// A usage.
    package init(limit: Int, decoding: Int, animations: Int, kept: Int) {
        self.limit = limit
        self.decoding = decoding
        self.animations = animations
        self.kept = kept
    }

    /// All together.
    package var total: Int { decoding + animations + kept }
}
