/// How urgent work is: 0 to 4, as in `ImageRequest.Priority`.
enum JobLevel {
    /// Work for paused tasks only. It does not start.
    static let resting = -1
    /// Work that no task waits for.
    static let unsubscribed = 0
    /// The highest of the levels that make room for others: prefetching.
    static let lastLow = 1
    /// The lowest of the levels that others make room for.
    static let firstHigh = 2
}
