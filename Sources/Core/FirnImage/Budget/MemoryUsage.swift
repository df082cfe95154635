/// The usage of a ``MemoryBudget``, in bytes.
package struct MemoryUsage: Hashable, Sendable {
    /// The limit at the moment.
    package var limit: Int
    /// Running decodes, by estimate.
    package var decoding: Int
    /// Frames of animations.
    package var animations: Int
    /// Images in memory caches.
    package var kept: Int

    /// The sum of all kinds.
    package var total: Int { decoding + animations + kept }
}

extension MemoryBudget {
    /// The estimated bytes that running decodes hold.
    public var decodingBytes: Int { usage.decoding }

    /// The bytes that frames of animations hold.
    public var animationBytes: Int { usage.animations }

    /// The bytes that only caches hold.
    public var cachedBytes: Int { usage.kept }
}
