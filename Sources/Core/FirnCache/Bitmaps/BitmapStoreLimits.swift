/// Limits of a bitmap store, which keeps decoded images on disk.
package struct BitmapStoreLimits: Hashable, Sendable {
    /// Maximum bytes of all files, with headers. Default: 512 MiB, about 60 images of 1920 × 1080 or 4,000 of 180 ×
    /// 180.
    package var bytes: Int
    /// Maximum bytes of one image. Default: a sixteenth of `bytes`, so that no image evicts many others.
    package var entryBytes: Int
    /// Maximum bytes of the pyramid of one large image, which has a third more pixels than the image, of four bytes.
    /// Default: `bytes`, enough for 100 megapixels at the default of `bytes`; never more than `bytes`. A large pyramid
    /// evicts most other images.
    package var pyramidBytes: Int
    /// The time for which an image is kept; `nil` (the default) for no limit.
    package var age: Duration?
    /// Maximum share of the disk's free space, counting the store's own files as free; `nil` for no limit. Default: a
    /// tenth, less than for a `DataCache`, since bitmaps can be decoded again from originals.
    package var freeSpaceShare: Double?
    /// The time between two writes that an image is in use. Default: ten minutes, so that a hit costs no write.
    package var useInterval: Duration
    /// True if images are mapped from their files. Otherwise they are copied into memory, which takes as long as
    /// reading them, but survives a truncated file, for example on a network drive. Default: yes.
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
