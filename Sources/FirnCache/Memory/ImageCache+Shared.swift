extension ImageCache {
    /// The memory cache of the shared pipeline, as long as that one is not replaced; made at first use, with the
    /// default limits
    /// and within the machine's budget.
    public static let shared = ImageCache(budget: .machine)
}
