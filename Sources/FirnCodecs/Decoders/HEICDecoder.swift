public import FirnImage
public import FoundationEssentials

/// Decodes HEIC and HEIF: image sequences by libde265, and of other files the primary image, then every other top-level
/// image as a frame, by libheif.
///
/// A file that holds a sequence and a still is decoded as the sequence.
/// A build without the package trait `HEIC` recognizes the content and refuses it.
/// - Source: ISO/IEC 23008-12.
public struct HEICDecoder: ImageDecoding {
    /// A decoder; it holds nothing.
    public init() {}

    /// `heic` for content whose `ftyp` box names a HEIF brand.
    public func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .heic ? .heic : nil
    }

    /// Starts decoding one file.
    public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        #if FIRN_HEIC
            FormatSession(HEIFReader(limits: limits), limits: limits, cancellation: cancellation)
        #else
            LeftOutSession(format: .heic, trait: "HEIC")
        #endif
    }
}
