extension ImageRequest {
    /// How urgent a request is. A job takes the highest priority of all who wait for it.
    public enum Priority: Int, Sendable, Comparable, CaseIterable {
        /// Work nobody waits for.
        case veryLow
        /// Prefetching.
        case low
        /// The default.
        case normal
        /// About to be seen.
        case high
        /// On screen now.
        case veryHigh

        /// By urgency.
        public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
    }
}
