package import NIOCore

/// An encoded result, as clients and caches get it.
package struct ServedResult: Sendable, Equatable {
    /// The bytes, which all responses share.
    package let body: ByteBuffer
    /// The media type, like `image/webp`.
    package let mediaType: String
    /// The strong validator, with its quotation marks (RFC 9110 §8.8.3).
    package let entityTag: String

    package init(body: ByteBuffer, mediaType: String, entityTag: String) {
        self.body = body
        self.mediaType = mediaType
        self.entityTag = entityTag
    }

    /// The number of bytes.
    package var count: Int { body.readableBytes }
}
