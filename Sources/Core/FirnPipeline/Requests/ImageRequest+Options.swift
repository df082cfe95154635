extension ImageRequest {
    /// Options for the caches that a request reads and writes, and for its decode.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt16

        /// Creates options from bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Skips the lookup in the memory cache.
        public static let disableMemoryCacheReads = Options(rawValue: 1 << 0)
        /// Does not store the image in the memory cache.
        public static let disableMemoryCacheWrites = Options(rawValue: 1 << 1)
        /// Skips the lookup in the data cache.
        public static let disableDiskCacheReads = Options(rawValue: 1 << 2)
        /// Does not store the data in the data cache.
        public static let disableDiskCacheWrites = Options(rawValue: 1 << 3)
        /// Loads without a lookup in any cache, and stores the result: a reload.
        public static let reloadIgnoringCachedData = Options(rawValue: 1 << 4)
        /// Looks into caches only and loads nothing. A load that finds nothing there fails with fault `request`.
        public static let returnCacheDataDontLoad = Options(rawValue: 1 << 5)
        /// The address does not come from the program itself: it was read from a list, a feed or a page, or typed in.
        ///
        /// The loader then refuses addresses outside of the public Internet (``/FirnData/DataRequest/isUntrusted``),
        /// and `file:` addresses fail with fault `request`. Cached data of the address is still used. Does not share a
        /// download with requests without the option.
        public static let untrustedAddress = Options(rawValue: 1 << 6)
        /// Leaves colors in the space of the image's own profile, which ``/FirnImage/Bitmap/colorProfile`` then has.
        /// Without the option they are converted to sRGB. Views show sRGB, so this is for images that are encoded.
        public static let keepColorProfile = Options(rawValue: 1 << 7)
        /// A preview embedded in the file may replace the image where it is large enough
        /// (``/FirnImage/DecodingOptions/allowsEmbeddedPreview``). It may show something else than the image.
        public static let allowEmbeddedPreview = Options(rawValue: 1 << 8)

        /// The memory cache is neither read nor written.
        public static let disableMemoryCache: Options = [.disableMemoryCacheReads, .disableMemoryCacheWrites]
        /// The data cache is neither read nor written.
        public static let disableDiskCache: Options = [.disableDiskCacheReads, .disableDiskCacheWrites]
        /// Neither cache is read or written.
        public static let disableCaches: Options = [.disableMemoryCache, .disableDiskCache]

        var readsMemory: Bool { isDisjoint(with: [.disableMemoryCacheReads, .reloadIgnoringCachedData]) }
        var writesMemory: Bool { !contains(.disableMemoryCacheWrites) }
        var readsDisk: Bool { isDisjoint(with: [.disableDiskCacheReads, .reloadIgnoringCachedData]) }
        var writesDisk: Bool { !contains(.disableDiskCacheWrites) }
        var isTrusted: Bool { !contains(.untrustedAddress) }
        var loads: Bool { !contains(.returnCacheDataDontLoad) }
        /// The options that change the pixels.
        var decoding: Options { intersection([.keepColorProfile, .allowEmbeddedPreview]) }
    }
}
