extension ImageRequest {
    /// The priority of a request. A job takes the highest priority of all tasks that wait for it.
    public enum Priority: Int, Sendable, Comparable, CaseIterable {
        /// Work that no task waits for.
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
