import FirnImage
import FirnSync

extension ImageRequest {
    /// Safety: changed only by `change`, while no other request shares it; `variants` under `lock`.
    final class Storage: @unchecked Sendable {
        let source: ImageSource
        /// What the caller named bytes, or what a closure makes, by.
        let sourceID: String?
        /// What the caller wants in the place of the address in cache keys.
        var imageID: String?
        /// What the pipeline's delegate wants there.
        var cacheID: String?
        var processors: [any ImageProcessing]
        var targetSize: TargetSize?
        var pixelFormat = PixelFormat.bgra8Premultiplied
        var options: Options
        var priority: Priority
        var userInfo: [UserInfoKey: any Sendable] = [:]
        var freshness: Freshness?
        /// The bytes are wanted, and no image.
        var wantsBytes = false
        /// They are to be decoded once before they are kept.
        var provesBytes = false
        var identities: Identities
        private let lock = InlineLock()
        /// The latest that views made of this one, each in their size: a cell of a list is bound to a request several
        /// times while it scrolls by, and its names are found out once.
        private var variants: (latest: Storage?, former: Storage?)

        init(
            source: ImageSource, id: String?, processors: [any ImageProcessing], priority: Priority,
            options: Options, targetSize: TargetSize?
        ) {
            self.source = source
            sourceID = id
            self.processors = processors
            self.priority = priority
            self.options = options
            self.targetSize = targetSize
            identities = Identities(source, Place(source), id: id, name: id, processors, targetSize, options)
        }

        init(copying other: Storage) {
            source = other.source
            sourceID = other.sourceID
            imageID = other.imageID
            cacheID = other.cacheID
            processors = other.processors
            targetSize = other.targetSize
            pixelFormat = other.pixelFormat
            options = other.options
            priority = other.priority
            userInfo = other.userInfo
            freshness = other.freshness
            wantsBytes = other.wantsBytes
            provesBytes = other.provesBytes
            identities = other.identities
        }

        /// Whether a closure makes the image itself. Asked of the storage, which copies nothing for it.
        var isMaking: Bool { if case .image = source { true } else { false } }

        /// Whether all pixels are wanted as they are, in the screen's layout.
        var isPlain: Bool {
            !wantsBytes && targetSize == nil && processors.isEmpty && pixelFormat == .bgra8Premultiplied && !isMaking
        }

        /// The same but for these, if it was made before and is remembered.
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
            // Order: ends without the lock.
            _ = dropped
        }

        /// Called before a change, by the only owner.
        func forgetVariants() { variants = (nil, nil) }
    }
}
