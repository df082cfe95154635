package import NIOCore

/// An encoded result, as clients and caches get it.
package struct ServedResult: Sendable, Equatable {
    /// The bytes, which all responses share.
    package let body: ByteBuffer
    /// The media type, like `image/webp`.
    package let mediaType: String
    /// The strong validator, with its quotation marks (RFC 9110 §8.8.3).
    package let entityTag: String

    /// When it was made, in seconds since 1970.
    package let made: Int

    package init(body: ByteBuffer, mediaType: String, entityTag: String, made: Int) {
        self.body = body
        self.mediaType = mediaType
        self.entityTag = entityTag
        self.made = made
    }

    /// The number of bytes.
    package var count: Int { body.readableBytes }
}
