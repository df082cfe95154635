/// The limits of an ``ImageCache``.
package struct ImageCacheLimits: Hashable, Sendable {
    /// Maximum bytes. Default: a fifth of the memory available to this process, at most 768 MiB; see ``defaultBytes``.
    package var bytes: Int
    /// Maximum number of images. Default: no limit, since memory is the scarce resource.
    package var count: Int
    /// The maximum age of an image; `nil` (the default) for no limit, since the source decides about freshness.
    package var age: Duration?
    /// Maximum bytes of one image. Default: a quarter of `bytes`, since a larger one would evict too many others.
    package var entryBytes: Int
    /// The share of `bytes` and `count` that remains after a purge, which starts when either is exceeded. Default: 1,
    /// so that no image is evicted unnecessarily.
    package var purgeLevel: Double
    /// The share of `bytes` and `count` that remains when the application is no longer visible; see
    /// ``ImageCache/didEnterBackground()``. Default: 0.1, about the images on the screen when the user returns. 1 keeps
    /// everything, 0 only images that views hold.
    package var backgroundLevel: Double

    /// Creates limits.
    package init(
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

    /// A fifth of the machine's memory, or of the control group's limit if that is lower, at most 768 MiB.
    package static let defaultBytes = MachineMemory.imageBytes

    /// Returns the value to which a limit is purged.
    func purged(_ limit: Int) -> Int { ImageCacheLimits.share(purgeLevel, of: limit) }

    /// Returns a share of a limit, from 0 to the limit; the whole limit if the share is NaN.
    static func share(_ level: Double, of limit: Int) -> Int {
        guard level < 1 else { return limit }
        return Int((Double(limit) * max(0, level)).rounded(.down))
    }
}
