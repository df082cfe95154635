internal import CFirnCodecs
public import FirnImage
internal import FoundationEssentials

/// The encoders that come with Firn.
public enum ImageEncoders {
    /// Returns the encoder for `format`, with its defaults.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, for lossy formats; `nil` for the encoder's default.
    ///   - lossless: whether to encode without loss, in formats that can be lossy or lossless. Default: false.
    /// - Returns: `nil` for formats that Firn does not write.
    public static func encoder(
        for format: ImageFormat, quality: Double? = nil, lossless: Bool = false
    ) -> (any ImageEncoding)? {
        switch format {
        case .jpeg: quality.map { JPEGEncoder(quality: $0) } ?? JPEGEncoder()
        case .png: PNGEncoder()
        case .webp: quality.map { WebPEncoder(quality: $0, lossless: lossless) } ?? WebPEncoder(lossless: lossless)
        case .avif where isBuiltIn(.avif):
            quality.map { AVIFEncoder(quality: $0, lossless: lossless) } ?? AVIFEncoder(lossless: lossless)
        case .jxl where isBuiltIn(.jxl):
            quality.map { JXLEncoder(quality: $0, lossless: lossless) } ?? JXLEncoder(lossless: lossless)
        case .gif: GIFEncoder()
        case .tiff: TIFFEncoder()
        case .bmp: BMPEncoder()
        case .ico: ICOEncoder()
        default: nil
        }
    }

    /// The formats that this build writes.
    public static var formats: [ImageFormat] {
        [.jpeg, .png, .webp, .avif, .jxl, .gif, .tiff, .bmp, .ico].filter(isBuiltIn)
    }

    /// The encoder for processed images in a data cache, without visible loss. See ``Processed``.
    package static var processed: Processed { Processed() }

    private static func isBuiltIn(_ format: ImageFormat) -> Bool {
        switch format {
        case .avif: firn_codec_is_built_in(FIRN_CODEC_AVIF)
        case .jxl: firn_codec_is_built_in(FIRN_CODEC_JXL)
        default: true
        }
    }
}

extension ImageEncoding {
    /// Encodes `image` as a `data:` URL, for a page or a JSON response.
    ///
    /// A preview of 16 pixels takes about 200 characters as WebP and 900 as PNG.
    ///
    /// - Throws: ``/FirnImage/ImageEncodingError``.
    /// - Source: RFC 2397.
    public func dataURL(of image: Bitmap) throws(ImageEncodingError) -> String {
        let type = format(for: image).mediaType ?? "application/octet-stream"
        return try "data:\(type);base64,\(encode(image).base64EncodedString())"
    }
}
