import FirnSync

/// The key of an image, for lookups without a copy, which would retain its string.
private struct BorrowedKey: ~Copyable {
    let key: ImageCacheKey

    borrowing func image(in cache: any ImageCaching) -> ImageContainer? { cache[key] }
}

extension ImageRequest {
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
