public import FirnImage
public import FoundationEssentials

/// Decodes PNG by libpng: all color types and depths, interlaced or not; of an animated PNG every frame, composited.
///
/// Rows come as the bytes do, of an interlaced image all over it. Where fewer bits are asked for, samples of 16 bits are
/// cut to their high byte.
/// - Source: W3C PNG (third edition).
public struct PNGDecoder: ImageDecoding {
    /// A decoder; it holds nothing.
    public init() {}

    /// `png` or `apng` for content that starts with the PNG signature.
    public func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head).flatMap { $0 == .png || $0 == .apng ? $0 : nil }
    }

    /// Starts decoding one file.
    public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(PNGReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
