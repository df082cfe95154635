/// The limits of a ``DataCache``.
public struct DataCacheLimits: Hashable, Sendable {
    /// Most bytes of all files, headers included. Default: 256 MiB, some 5,000 images of a phone's screen.
    public var bytes: Int
    /// Most entries. Default: no limit.
    public var count: Int
    /// How long an entry is kept after it was stored. Default: forever; freshness is decided by the rules of HTTP, not here.
    public var age: Duration?
    /// The part of the disk's free space, what the cache holds included, that the cache takes at most; `nil` for no such limit.
    /// Asked every second while entries are stored, so a cache gives way to what else fills the disk. Default: a quarter.
    public var freeSpaceShare: Double?
    /// Bytes that may wait in memory to be written; from then on whoever stores writes. Default: 16 MiB.
    public var stagedBytes: Int
    /// How much time passes between two notes on the disk that an entry is in use. Within one process the order of
    /// use is exact; after a restart, and for other processes, as exact as this.
    /// Default: ten minutes, so that a hit costs no write.
    public var useInterval: Duration

    /// Limits for the first bytes of bodies that still arrive, from which later transfers resume: 32 MiB, 1,000 parts, a week.
    public static let partialBodies = DataCacheLimits(bytes: 32 << 20, count: 1_000, age: .seconds(604_800))

    /// Creates limits; what is left out has its default.
    public init(
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
