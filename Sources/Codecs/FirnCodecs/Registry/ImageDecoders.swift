@_exported public import FirnImage
@_exported public import FirnProcessing

/// The decoders that come with Firn.
public enum ImageDecoders {
    /// All decoders of this build. The order does not matter: no two take the same content.
    ///
    /// They follow ``DecoderIsolation/standard``.
    public static let standard: [any ImageDecoding] = formats

    /// All decoders of this build, with an isolation of their own.
    ///
    /// - Throws: ``/FirnImage/ImageDecodingError/Fault/unsupported`` if the isolation requires `firn-decoder`, and it
    ///   is missing.
    public static func standard(isolation: DecoderIsolation) throws(ImageDecodingError) -> [any ImageDecoding] {
        try isolation.check()
        return formats.map { decoder in
            var decoder = decoder
            decoder.isolation = isolation
            return decoder
        }
    }

    /// All decoders, one line for each format.
    private static let formats: [FormatDecoder] = [
        .jpeg,
        .png,
        .webp,
        .gif,
        .avif,
        .heic,
        .jxl,
        .tiff,
        .svg,
        .bmp,
        .ico,
        .qoi,
    ]

    /// Returns the decoders of some formats, for programs that accept no others.
    ///
    /// - Parameter formats: the formats; PNG and APNG stand for both. Formats that Firn does not decode are ignored.
    public static func decoders(for formats: Set<ImageFormat>) -> [any ImageDecoding] {
        Self.formats.filter { !formats.isDisjoint(with: $0.formats) }
    }
}

extension ImageDecoder {
    /// Creates a decoder of every format of this build. A program's own decoders come first in
    /// `ImageDecoder(decoders: [mine] + ImageDecoders.standard)`.
    public convenience init(limits: ImageLimits = ImageLimits()) {
        self.init(decoders: ImageDecoders.standard, limits: limits)
    }
}
