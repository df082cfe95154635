extension ImageRequest {
    /// What a request may read and write on its way.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Options from bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The memory cache is not asked.
        public static let disableMemoryCacheReads = Options(rawValue: 1 << 0)
        /// The image is not kept in the memory cache.
        public static let disableMemoryCacheWrites = Options(rawValue: 1 << 1)
        /// The data cache is not asked.
        public static let disableDiskCacheReads = Options(rawValue: 1 << 2)
        /// The bytes are not kept in the data cache.
        public static let disableDiskCacheWrites = Options(rawValue: 1 << 3)
        /// No cache is asked, but what is loaded is kept: a reload.
        public static let reloadIgnoringCachedData = Options(rawValue: 1 << 4)
        /// Only caches are asked; nothing is loaded.
        public static let returnCacheDataDontLoad = Options(rawValue: 1 << 5)

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
        var loads: Bool { !contains(.returnCacheDataDontLoad) }
    }
}
