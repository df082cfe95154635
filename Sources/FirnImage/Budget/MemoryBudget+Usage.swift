extension MemoryBudget {
    /// Bytes that decodes under way hold, by estimate.
    public var decodingBytes: Int { usage.decoding }

    /// Bytes that frames of animations hold.
    public var animationBytes: Int { usage.animations }

    /// Bytes that caches hold, and only they.
    public var cachedBytes: Int { usage.kept }
}
