/// What a ``MemoryBudget`` is used for, in bytes.
public struct MemoryUsage: Hashable, Sendable {
    /// What may be used at the moment.
    public var limit: Int
    /// Decodes under way, by estimate.
    public var decoding: Int
    /// Frames of animations.
    public var animations: Int
    /// Images in memory caches.
    public var kept: Int

    /// A usage.
    public init(limit: Int, decoding: Int, animations: Int, kept: Int) {
        self.limit = limit
        self.decoding = decoding
        self.animations = animations
        self.kept = kept
    }

    /// All together.
    public var total: Int { decoding + animations + kept }
}
