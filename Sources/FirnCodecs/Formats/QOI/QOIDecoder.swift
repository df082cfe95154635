package import FirnImage
package import FoundationEssentials

/// Decodes QOI, with and without alpha.
///
/// - Source: QOI specification 1.0; Documentation/Formats/qoi.md.
package struct QOIDecoder: ImageDecoding {
    /// Creates a decoder, which has no state.
    package init() {}

    /// Returns `qoi` for content that starts with "qoif".
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head).flatMap { $0 == .qoi ? $0 : nil }
    }

    /// Starts decoding one file.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        FormatSession(QOIReader(limits: limits), limits: limits, cancellation: cancellation)
    }
}
