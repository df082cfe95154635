/// How urgent work is: 0 to 4, as in `ImageRequest.Priority`.
enum JobLevel {
    /// What only waits for paused tasks: it does not start.
    static let resting = -1
    /// Work that nobody waits for.
    static let nobody = 0
    /// The highest of the levels that make room for others: prefetching.
    static let lastLow = 1
    /// The lowest of the levels that others make room for.
    static let firstHigh = 2
}
