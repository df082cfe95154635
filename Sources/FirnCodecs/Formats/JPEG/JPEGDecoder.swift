package import FirnImage
package import FoundationEssentials

/// Decodes JPEG with libjpeg-turbo: baseline, extended, progressive and arithmetic; gray, color, CMYK and YCCK.
///
/// Scales to a target size in the frequency domain, to the smallest N/8 that covers it. An image of one scan is never
/// held whole at full size. An eighth or less of a progressive file is decoded from its first scan alone; the session's
/// `bytesNeeded` is the number of bytes that this took. Its colors then change evenly within each block of 8 or 16
/// pixels.
///
/// - Source: ISO/IEC 10918-1; JFIF 1.02; Adobe Technical Note 5116 for inks.
package struct JPEGDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns `jpeg` for content that starts with a JPEG marker.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .jpeg ? .jpeg : nil
    }

    /// Starts decoding one file.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(JPEGReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
