/// The priority of jobs, from 0 to 4, as in `ImageRequest.Priority`.
enum JobLevel {
    /// Jobs that only paused tasks wait for. They do not start.
    static let resting = -1
    /// Jobs without waiting tasks.
    static let unsubscribed = 0
    /// The highest of the levels that yield to others: prefetching.
    static let lastLow = 1
    /// The lowest of the levels that others yield to.
    static let firstHigh = 2
}
