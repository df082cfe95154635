package import FirnImage
package import FoundationEssentials

/// Decodes PNG with libpng: all color types and depths, interlaced or not, and every frame of an animated PNG,
/// composited.
///
/// Rows are decoded as the bytes arrive; rows of an interlaced image appear all over it. If the request asks for 8
/// bits, 16-bit samples are cut to their high byte.
///
/// - Source: W3C PNG (third edition).
package struct PNGDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns `png` or `apng` for content that starts with the PNG signature.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head).flatMap { $0 == .png || $0 == .apng ? $0 : nil }
    }

    /// Starts decoding one file.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(PNGReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
