import FirnSync

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
        /// A file that is cut short or damaged is shown as far as it goes, as browsers do
        /// (``/FirnImage/DecodingOptions/allowsPartial``); ``/FirnImage/ImageContainer/damage`` then says what is
        /// wrong. Without the option the load fails with fault `data`.
        ///
        /// Neither the image nor the bytes enter a cache. A body whose transfer was interrupted is not such a file: it
        /// is loaded again as always.
        public static let allowPartial = Options(rawValue: 1 << 9)
        /// Keeps the values of an image in high dynamic range (``/FirnImage/DecodingOptions/preservesHDR``) instead of
        /// tone-mapping them. Views show sRGB, so this is for images that are encoded. The bitmap store holds no such
        /// image.
        public static let preserveHDR = Options(rawValue: 1 << 10)

        /// Decodes the gain map of the file, too: ``/FirnImage/ImageContainer/gainMap``. It is `nil` if there is none,
        /// or if it is damaged, and for regions and later frames.
        ///
        /// The decode waits for the end of the file. Of the disk caches, only the one for original bytes is used.
        public static let includeGainMap = Options(rawValue: 1 << 11)

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
        /// The options that change the pixels of images in caches, so that they are part of their keys.
        var named: Options {
            intersection([.keepColorProfile, .allowEmbeddedPreview, .includeGainMap, .preserveHDR])
        }
        /// The options that a decode depends on.
        var decoding: Options { named.union(intersection(.allowPartial)) }
    }

    /// The key of a value in ``userInfo``: that of a container.
    public typealias UserInfoKey = ImageContainer.UserInfoKey

    package protocol ThumbnailSize: Sendable {
        var targetSize: TargetSize { get }
    }

    /// Creates a request for an image whose bytes are in memory.
    ///
    /// - Parameter id: identifies the bytes: requests with equal ids share work and cache entries.
    public init(
        id: String, data: Data, processors: [any ImageProcessing] = [], priority: Priority = .normal,
        options: Options = [], targetSize: TargetSize? = nil
    ) {
        self.init(Storage(.bytes(data), id: id, processors, priority, options, targetSize))
    }

    /// Creates a request for an image whose bytes a closure fetches.
    ///
    /// - Parameters:
    ///   - id: identifies what the closure returns: requests with equal ids share work and cache entries.
    ///   - data: called at most once for all requests that share the work, on the concurrent executor; cancelled with
    ///     the last of them.
    public init(
        id: String, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        targetSize: TargetSize? = nil, data: @escaping @Sendable () async throws -> Data
    ) {
        self.init(Storage(.closure(data), id: id, processors, priority, options, targetSize))
    }

    /// Creates a request for an image that a closure creates. Nothing is decoded, but the image gets the target size,
    /// layout and processors, and is stored in the memory cache. It has no bytes, so it is never in the data cache.
    ///
    /// - Parameters:
    ///   - id: identifies what the closure creates: requests with equal ids share work and memory-cache entries.
    ///   - image: called at most once for all requests that share the work, on the concurrent executor; cancelled with
    ///     the last of them. It takes the place of a transfer and counts as one.
    @_disfavoredOverload
    public init(
        id: String, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        targetSize: TargetSize? = nil, image: @escaping @Sendable () async throws -> ImageContainer
    ) {
        self.init(Storage(.image(image), id: id, processors, priority, options, targetSize))
    }

    var isProcessed: Bool { targetSize != nil || region != nil || !processors.isEmpty }

    /// The key of the encoded result in the data cache. It is the key of the original if the result is the original
    /// image.
    var processedDataCacheKey: String {
        let key = dataCacheKey + Identities.keyPart(of: options) + Identities.keyPart(of: region, targetSize)
        return processors.reduce(into: key) { $0 += Identities.keyPart(of: $1) }
    }

    /// True if the data cache stores anything of this kind of source.
    var isKeptOnDisk: Bool {
        switch source.reader {
        case .loader, .closure: true
        case .file, .inline, .bytes, .image, .nothing: false
        }
    }

    /// Safety: changed only by `change`, while no other request shares it; `variants` under `lock`.
    final class Storage: @unchecked Sendable {
        let source: ImageSource
        /// The caller's name for the bytes, or for the image that a closure creates.
        let sourceID: String?
        /// The caller's replacement for the address in cache keys.
        var imageID: String?
        /// The delegate's replacement for the address in cache keys.
        var cacheID: String?
        var processors: [any ImageProcessing]
        var targetSize: TargetSize?
        var region: ImageRegion?
        var pixelFormat = PixelFormat.bgra8Premultiplied
        var options: Options
        var priority: Priority
        var userInfo: [UserInfoKey: any Sendable] = [:]
        var freshness: ImageRequest.Freshness?
        /// True if the request is for the bytes, without an image.
        var wantsBytes = false
        /// True if the bytes are decoded once before they are stored.
        var provesBytes = false
        /// Makes the result of a request for a rendering.
        var rendering: Box<ImageRendering>?
        /// The number of the device that has the file; `nil` if it does not limit reads.
        var fileSystem: UInt64?
        var identities: Identities { didSet { imageKey = BorrowedKey(key: identities.image) } }
        /// `identities.image` again. Changed only together with it, so accesses need no check.
        @exclusivity(unchecked) private var imageKey: BorrowedKey
        private let lock = InlineLock()
        /// The latest variants that views created of this request, each for the view's size. A cell of a list is bound
        /// to the same request several times while it scrolls; the identities of a variant are then computed once.
        private var variants: (latest: Storage?, former: Storage?)

        init(
            _ source: ImageSource, id: String?, _ processors: [any ImageProcessing], _ priority: Priority,
            _ options: Options, _ targetSize: TargetSize?
        ) {
            self.source = source
            sourceID = id
            self.processors = processors
            self.priority = priority
            self.options = options
            self.targetSize = targetSize
            identities = Identities(source, SourceLocation(source), id: id, name: id, processors, targetSize, options)
            imageKey = BorrowedKey(key: identities.image)
        }

        init(copying other: Storage) {
            source = other.source
            sourceID = other.sourceID
            imageID = other.imageID
            cacheID = other.cacheID
            processors = other.processors
            targetSize = other.targetSize
            region = other.region
            pixelFormat = other.pixelFormat
            options = other.options
            priority = other.priority
            userInfo = other.userInfo
            freshness = other.freshness
            wantsBytes = other.wantsBytes
            provesBytes = other.provesBytes
            rendering = other.rendering
            fileSystem = other.fileSystem
            identities = other.identities
            imageKey = BorrowedKey(key: identities.image)
        }

        /// The image in a memory cache. Does not retain the key, which other cores may look up, too.
        @inline(__always)
        func image(in cache: any ImageCaching) -> ImageContainer? { imageKey.image(in: cache) }

        /// True if a closure creates the image. A property of the storage, which avoids a copy.
        var isMaking: Bool { if case .image = source { true } else { false } }

        /// True if all pixels are requested unchanged, in the screen's layout.
        var isPlain: Bool {
            !wantsBytes && targetSize == nil && region == nil && processors.isEmpty
                && pixelFormat == .bgra8Premultiplied && options.decoding.isEmpty && !isMaking
        }

        /// The variant with these values, if it is remembered.
        func variant(_ size: TargetSize?, _ format: PixelFormat, _ priority: Priority) -> Storage? {
            func isIt(_ other: Storage?) -> Bool {
                guard let other else { return false }
                return other.priority == priority && other.pixelFormat == format && other.targetSize == size
            }
            return lock.withLock {
                isIt(variants.latest) ? variants.latest : isIt(variants.former) ? variants.former : nil
            }
        }

        func remember(_ variant: Storage) {
            let dropped = lock.withLock {
                let dropped = variants.former
                variants = (variant, variants.latest)
                return dropped
            }
            // Order: released outside of the lock.
            _ = dropped
        }

        /// Called before a change, by the only owner.
        func forgetVariants() { variants = (nil, nil) }
    }
}

extension ImageContainer.UserInfoKey {
    /// A `String` in the values of a request that takes the place of the address in cache keys: setting it sets
    /// ``ImageRequest/imageID``.
    public static let imageIdKey: ImageContainer.UserInfoKey = "firn.imageID"
    /// The key of ``ImageRequest/ThumbnailSize``; its public name is in FirnMigration.
    package static let thumbnail: ImageContainer.UserInfoKey = "firn.thumbnail"
}

/// The key of an image, for lookups without a copy, which would retain its string.
private struct BorrowedKey: ~Copyable {
    let key: ImageCacheKey

    borrowing func image(in cache: any ImageCaching) -> ImageContainer? { cache[key] }
}
