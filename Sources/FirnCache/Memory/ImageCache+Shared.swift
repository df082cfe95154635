extension ImageCache {
    /// The memory cache of the shared pipeline, unless that is replaced. Created at the first use, with the default
    /// limits and within the machine's budget.
    public static let shared = ImageCache(budget: .machine)
}
