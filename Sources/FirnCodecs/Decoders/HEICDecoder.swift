import CFirnCodecs
public import FirnImage
public import FoundationEssentials

/// Decodes HEIC and HEIF by libheif: the primary image, then every other top-level image as a frame.
///
/// A build without the package trait `HEIC` recognises the content and refuses it.
/// - Source: ISO/IEC 23008-12.
public struct HEICDecoder: ImageDecoding {
    /// A decoder; it holds nothing.
    public init() {}

    /// `heic` for content whose `ftyp` box names a HEIF brand.
    public func recognises(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) == .heic ? .heic : nil
    }

    /// Starts decoding one file.
    public func makeSession(limits: DecodingLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        #if FIRN_HEIC
            FormatSession(
                LibraryReader(FIRN_CODEC_HEIC, format: .heic, access: .whole, limits: limits), limits: limits,
                cancellation: cancellation)
        #else
            LeftOutSession(format: .heic, trait: "HEIC")
        #endif
    }
}
