import FirnImage

extension ImageRequest {
    /// Safety: changed only by `change`, while no other request shares it.
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
        /// The bytes are wanted, and no picture.
        var wantsBytes = false
        var identities = Identities.none

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
            identities = Identities(self)
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
            identities = other.identities
        }
    }
}
