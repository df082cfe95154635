/// Limits of a bitmap store.
/// ``BitmapStore/init(directory:bytes:entryBytes:pyramidBytes:age:freeSpaceShare:useInterval:isMapped:isShared:)``
/// gives the reasons for the defaults.
package struct BitmapStoreLimits: Hashable, Sendable {
    /// Maximum bytes of all files, with headers.
    package var bytes: Int
    /// Maximum bytes of one image.
    package var entryBytes: Int
    /// Maximum bytes of the pyramid of one large image, capped at `bytes`.
    package var pyramidBytes: Int
    /// The maximum age of an image; `nil` for no limit.
    package var age: Duration?
    /// Maximum share of the disk's free space, counting the store's own files as free; `nil` for no limit.
    package var freeSpaceShare: Double?
    /// The minimum time between two recorded uses of an image.
    package var useInterval: Duration
    /// True if images are mapped from their files rather than copied into memory.
    package var isMapped: Bool

    /// Creates limits.
    package init(
        bytes: Int = 512 << 20, entryBytes: Int? = nil, age: Duration? = nil, freeSpaceShare: Double? = 0.1,
        useInterval: Duration = .seconds(600), isMapped: Bool = true, pyramidBytes: Int? = nil
    ) {
        self.bytes = max(0, bytes)
        self.entryBytes = entryBytes ?? self.bytes / 16
        self.pyramidBytes = max(0, pyramidBytes ?? self.bytes)
        self.age = age
        self.freeSpaceShare = freeSpaceShare.map { $0 > 0 ? min($0, 1) : 0 }
        self.useInterval = useInterval
        self.isMapped = isMapped
    }
}
