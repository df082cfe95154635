/// The limits of an ``ImageCache``.
public struct ImageCacheLimits: Hashable, Sendable {
    /// Most bytes. Default: a fifth of the memory this process may have, at most 768 MiB; see ``defaultBytes``.
    public var bytes: Int
    /// Most images. Default: no limit; memory is what is scarce.
    public var count: Int
    /// How long an image is kept after it was put in. Default: forever; freshness is decided with the source, not here.
    public var age: Duration?
    /// Most bytes of one image. Default: a quarter of `bytes`, since a larger one would push out too many others.
    public var entryBytes: Int
    /// The share of `bytes` and `count` that a purge goes down to once one of them is exceeded.
    /// Default: 1, so that nothing goes that need not. A purge costs the same however it is cut into steps.
    public var purgeLevel: Double
    /// The share of `bytes` and `count` that stays when the application is no longer visible; see
    /// ``ImageCache/didEnterBackground()``. Default: 0.1, which is what is on the screen when the user comes back, and
    /// little more. 1 keeps everything, 0 only what views hold.
    public var backgroundLevel: Double

    /// Creates limits; what is left out has its default.
    public init(
        bytes: Int = ImageCacheLimits.defaultBytes, count: Int = .max, age: Duration? = nil, entryBytes: Int? = nil,
        purgeLevel: Double = 1, backgroundLevel: Double = 0.1
    ) {
        self.bytes = max(0, bytes)
        self.count = max(0, count)
        self.age = age
        self.entryBytes = entryBytes ?? self.bytes / 4
        self.purgeLevel = purgeLevel
        self.backgroundLevel = backgroundLevel
    }

    /// A fifth of the machine's memory, or of the control group's limit where that is lower, at most 768 MiB.
    public static let defaultBytes = MachineMemory.imageBytes

    /// The level that a purge goes down to, for a limit.
    func purged(_ limit: Int) -> Int { ImageCacheLimits.share(purgeLevel, of: limit) }

    /// A share of a limit, at least 0 and at most the limit; all of it for a share that is no number.
    static func share(_ level: Double, of limit: Int) -> Int {
        guard level < 1 else { return limit }
        return Int((Double(limit) * max(0, level)).rounded(.down))
    }
}
