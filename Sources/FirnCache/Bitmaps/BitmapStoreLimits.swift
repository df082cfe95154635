/// Limits of a bitmap store, which keeps decoded images on disk.
public struct BitmapStoreLimits: Hashable, Sendable {
    /// Most bytes of all files, headers included. Default: 512 MiB, some 60 images of 1920 × 1080 or 4,000 of 180 × 180.
    public var bytes: Int
    /// Most bytes of one image. Default: a sixteenth of `bytes`.
    public var entryBytes: Int
    /// How long an image is kept after it was stored. Default: forever.
    public var age: Duration?
    /// The part of the disk's free space, what the store holds included, that the store takes at most; `nil` for no such limit.
    /// Default: a tenth, which is less than a `DataCache` takes: images that can be decoded again go before the
    /// originals.
    public var freeSpaceShare: Double?
    /// How much time passes between two notes on the disk that an image is in use. Default: ten minutes.
    public var useInterval: Duration
    /// Whether images are shown from the files themselves, by a mapping. Else they are copied into memory, which costs as much
    /// time as reading them, and cannot end the process where somebody else cuts a file off, as on a network's disk. Default: yes.
    public var isMapped: Bool

    /// Creates limits; what is left out has its default.
    public init(
        bytes: Int = 512 << 20, entryBytes: Int? = nil, age: Duration? = nil, freeSpaceShare: Double? = 0.1,
        useInterval: Duration = .seconds(600), isMapped: Bool = true
    ) {
        self.bytes = max(0, bytes)
        self.entryBytes = entryBytes ?? self.bytes / 16
        self.age = age
        self.freeSpaceShare = freeSpaceShare.map { $0 > 0 ? min($0, 1) : 0 }
        self.useInterval = useInterval
        self.isMapped = isMapped
    }
}
