import FirnImage

extension FormatDecoder {
    /// Decodes WebP with libwebp: lossy, lossless, with alpha, and every frame of an animation, composited on its
    /// canvas.
    ///
    /// Rows are decoded as the bytes arrive. A still is scaled to the target size while it is decoded.
    ///
    /// - Source: RFC 9649.
    package static let webp = FormatDecoder(.webp) { WebPReader(limits: $0, host: $1) }
}
