/// The limits of a ``DataCache``.
package struct DataCacheLimits: Hashable, Sendable {
    /// Maximum bytes of all files, with headers. Default: 256 MiB, about 5,000 phone-screen images.
    package var bytes: Int
    /// Maximum number of entries. Default: no limit.
    package var count: Int
    /// The maximum age of an entry; `nil` (the default) for no limit, since the rules of HTTP decide about freshness.
    package var age: Duration?
    /// Maximum share of the disk's free space, counting the cache's own files as free; `nil` for no limit. Checked
    /// every second while entries are stored, so the cache shrinks when other files fill the disk. Default: a quarter.
    package var freeSpaceShare: Double?
    /// Maximum bytes of staged entries. Above it, callers that stage entries write them. Default: 16 MiB.
    package var stagedBytes: Int
    /// The minimum time between two recorded uses of an entry. Within a process the order of use is exact; after a
    /// restart, and for other processes, it is only as precise as this interval. Default: ten minutes, so that a hit
    /// costs no write.
    package var useInterval: Duration

    /// Limits for incomplete bodies, from which later transfers resume: 32 MiB, 1,000 parts, a week.
    package static let partialBodies = DataCacheLimits(bytes: 32 << 20, count: 1_000, age: .seconds(604_800))

    /// Creates limits.
    package init(
        bytes: Int = 256 << 20, count: Int = .max, age: Duration? = nil, freeSpaceShare: Double? = 0.25,
        stagedBytes: Int = 16 << 20, useInterval: Duration = .seconds(600)
    ) {
        self.bytes = max(0, bytes)
        self.count = max(0, count)
        self.age = age
        self.freeSpaceShare = freeSpaceShare.map { $0 > 0 ? min($0, 1) : 0 }
        self.stagedBytes = max(0, stagedBytes)
        self.useInterval = useInterval
    }
}
