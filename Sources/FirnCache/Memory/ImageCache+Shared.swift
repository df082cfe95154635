public import FirnImage

extension ImageCache {
    /// The memory cache of all pipelines of this process that were given no other. Created at the first use, with the
    /// default limits and within the machine's budget.
    public static let shared = ImageCache(budget: .machine)
}

extension ImageCaching where Self == ImageCache {
    /// Returns a new memory cache.
    ///
    /// - Parameters:
    ///   - limit: maximum bytes. Default: that of ``ImageCacheLimits``.
    ///   - budget: the memory budget that the cache and the decodes of its pipeline share. Default: the machine's.
    public static func memory(
        limit: Int = ImageCacheLimits.defaultBytes, budget: MemoryBudget = .machine
    ) -> ImageCache {
        ImageCache(limits: ImageCacheLimits(bytes: limit), budget: budget)
    }
}
