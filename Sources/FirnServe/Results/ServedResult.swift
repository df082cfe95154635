package import FoundationEssentials

/// An encoded result, as clients and caches get it.
package struct ServedResult: Sendable, Equatable {
    package let data: Data
    /// The media type, like `image/webp`.
    package let mediaType: String
    /// The strong validator, with its quotation marks (RFC 9110 §8.8.3).
    package let entityTag: String
    /// The size of the encoded image in pixels, if it is one.
    package let width: Int?
    package let height: Int?

    package init(data: Data, mediaType: String, entityTag: String, width: Int? = nil, height: Int? = nil) {
        self.data = data
        self.mediaType = mediaType
        self.entityTag = entityTag
        self.width = width
        self.height = height
    }
}
