internal import CFirnCodecs
public import FoundationEssentials

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
    /// - Throws: ``/FirnImage/ImageError``.
    /// - Source: RFC 2397.
    public func dataURL(of image: Bitmap) throws(ImageError) -> String {
        let type = format(for: image).mediaType ?? "application/octet-stream"
        return try "data:\(type);base64,\(encode(image).base64EncodedString())"
    }
}

extension ImageEncoders {
    /// Encodes opaque images of 8 bits as JPEG, and images with transparent pixels or more than 8 bits as PNG.
    public struct Default: ImageEncoding {
        /// Always ``/FirnImage/ImageFormat/jpeg``, the format of most images.
        public var format: ImageFormat { .jpeg }
        /// The quality of JPEG files, from 0 to 1.
        public let compressionQuality: Double

        /// Creates an encoder.
        ///
        /// - Parameter compressionQuality: 0 to 1, for JPEG files. Default: 0.85, as in ``JPEGEncoder``.
        public init(compressionQuality: Double = 0.85) { self.compressionQuality = compressionQuality }

        /// Returns JPEG if that loses neither transparency nor bits, otherwise PNG.
        public func format(for image: Bitmap) -> ImageFormat { encoder(for: image).format }

        private func encoder(for image: Bitmap) -> any ImageEncoding {
            !image.format.isWide && image.hasOnlyOpaquePixels ? JPEGEncoder(quality: compressionQuality) : PNGEncoder()
        }

        /// Encodes `image` in the format that suits it. Checks the cancellation flag every 16 rows.
        ///
        /// - Throws: ``/FirnImage/ImageError`` of that format's encoder.
        public func encode(
            _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
        ) throws(ImageError) -> Data {
            try encoder(for: image).encode(image, metadata: metadata, cancellation: cancellation)
        }
    }
}

extension ImageEncoders {
    /// Encodes processed images for a cache: fast to write and read, without a visible difference.
    ///
    /// - Opaque images of 8 bits: JPEG of quality 0.95 with full chroma (4:4:4).
    /// - Images with transparent pixels: lossless WebP at the lowest effort.
    /// - Images of more than 8 bits, and those with sides too long for these formats: PNG at low compression.
    package struct Processed: ImageEncoding {
        /// Always ``/FirnImage/ImageFormat/jpeg``, the format of most images.
        package var format: ImageFormat { .jpeg }

        /// Creates an encoder.
        package init() {}

        /// Returns JPEG, WebP or PNG.
        package func format(for image: Bitmap) -> ImageFormat { encoder(for: image).format }

        private func encoder(for image: Bitmap) -> any ImageEncoding {
            let side = max(image.size.width, image.size.height)
            let isOpaque = !image.format.isWide && image.hasOnlyOpaquePixels
            if image.format.isWide || side > (isOpaque ? 65_500 : 16_383) { return PNGEncoder(compressionLevel: 1) }
            return isOpaque ? JPEGEncoder(quality: 0.95, chroma: .full) : WebPEncoder(lossless: true, effort: 0)
        }

        /// Encodes `image` in the format that suits it. Checks the cancellation flag as often as that format's encoder
        /// does.
        ///
        /// - Throws: ``/FirnImage/ImageError`` of that format's encoder.
        package func encode(
            _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
        ) throws(ImageError) -> Data {
            try encoder(for: image).encode(image, metadata: metadata, cancellation: cancellation)
        }
    }
}
