public import FirnImage
public import FoundationEssentials

/// Decodes JPEG by libjpeg-turbo: baseline, extended, progressive and arithmetic; gray, color, CMYK and YCCK.
///
/// A target size is met in the frequency domain, at the smallest N/8 that covers it. An image of one scan is never
/// held whole at full size. An eighth or less of a progressive file is decoded from its first scan alone; the session's
/// `bytesNeeded` says how many bytes that took. Its colors then change evenly within each block of 8 or 16 pixels.
/// - Source: ISO/IEC 10918-1; JFIF 1.02; Adobe Technical Note 5116 for inks.
public struct JPEGDecoder: ImageDecoding {
    /// A decoder; it holds nothing.
    public init() {}

    /// `jpeg` for content that starts with a JPEG marker.
    public func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .jpeg ? .jpeg : nil
    }

    /// Starts decoding one file.
    public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(JPEGReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
