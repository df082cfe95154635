internal import CFirnCodecs
public import FoundationEssentials

/// Firn's encoders, as functions:
///
///     let file = try ImageEncoders.webp(quality: 0.8).encode(image)
///     configuration.makeImageEncoder = { _ in .jpeg(quality: 0.9) }
///
/// The type has no instances. It conforms to ``/FirnImage/AnimationEncoding`` so that its functions are found wherever
/// an encoder is expected, and as its members.
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

    /// Encodes processed images for a cache: fast to write and read, without a visible difference.
    ///
    /// - Opaque images of 8 bits: JPEG of quality 0.95 with full chroma (4:4:4).
    /// - Images with transparent pixels: lossless WebP at the lowest effort.
    /// - Images of more than 8 bits, and those with sides too long for these formats: PNG at low compression.
    package static let processed = Choosing { image in
        let side = max(image.size.width, image.size.height)
        let isOpaque = !image.format.isWide && image.hasOnlyOpaquePixels
        if image.format.isWide || side > (isOpaque ? 65_500 : 16_383) { return PNGEncoder(compressionLevel: 1) }
        return isOpaque ? JPEGEncoder(quality: 0.95, chroma: .full) : WebPEncoder(lossless: true, effort: 0)
    }

    private static func isBuiltIn(_ format: ImageFormat) -> Bool {
        switch format {
        case .avif: firn_codec_is_built_in(FIRN_CODEC_AVIF)
        case .jxl: firn_codec_is_built_in(FIRN_CODEC_JXL)
        default: true
        }
    }

    /// Encodes each image in the format that suits it.
    package struct Choosing: ImageEncoding {
        let encoder: @Sendable (Bitmap) -> any ImageEncoding

        /// Always ``/FirnImage/ImageFormat/jpeg``, the format of most images.
        package var format: ImageFormat { .jpeg }

        /// Returns the format that suits `image`.
        package func format(for image: Bitmap) -> ImageFormat { encoder(image).format }

        /// Encodes `image`. Checks the cancellation flag as often as the chosen format's encoder does.
        ///
        /// - Throws: ``/FirnImage/ImageError`` of that format's encoder.
        package func encode(
            _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
        ) throws(ImageError) -> Data {
            try encoder(image).encode(image, metadata: metadata, cancellation: cancellation)
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

extension ImageEncoding where Self == ImageEncoders {
    /// Encodes opaque images of 8 bits as JPEG, and images with transparent pixels or more than 8 bits as PNG.
    ///
    /// - Parameter quality: 0 to 1, for JPEG files. Default: 0.85.
    public static func automatic(quality: Double = 0.85) -> some ImageEncoding {
        ImageEncoders.Choosing { image -> any ImageEncoding in
            !image.format.isWide && image.hasOnlyOpaquePixels ? JPEGEncoder(quality: quality) : PNGEncoder()
        }
    }

    /// Encodes JPEG (8 bits, YCbCr) with libjpeg-turbo.
    ///
    /// Images with transparent pixels are an error, because only the caller knows the background color.
    /// Sides have at most 65,500 pixels. A profile other than sRGB is embedded. Images of more than 8 bits are rounded
    /// to 8. EXIF data of more than 65,527 bytes, which no file can hold, are left out, except the artist and the
    /// copyright.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, a hundredth of libjpeg's scale. Values beyond are clamped. Default: 0.85, at which
    ///     artifacts are hard to see and photographs take about a sixth of the bytes at 1.
    ///   - progressive: whether the file is stored in passes: about 5 % smaller, three times as slow to decode.
    ///   - fullChroma: whether color is stored for each pixel (4:4:4) rather than for every two by two pixels (4:2:0).
    ///     `nil` (the default): from a quality of 0.9 on.
    ///   - optimized: whether Huffman codes are optimized for each image, which takes a second pass over the
    ///     coefficients and saves about 2 %. Progressive files always have such codes. Default: false.
    public static func jpeg(
        quality: Double = 0.85, progressive: Bool = false, fullChroma: Bool? = nil, optimized: Bool = false
    ) -> some ImageEncoding {
        JPEGEncoder(
            quality: quality, progressive: progressive, chroma: ChromaSubsampling(isFull: fullChroma),
            optimized: optimized)
    }

    /// Encodes PNG with libpng: gray, palette, RGB or RGBA, the smallest that holds the image exactly, with 16 bits for
    /// images of more than 8.
    ///
    /// Lossless: decoding returns the encoded pixels, also of premultiplied images. Half floats are clamped to 0...1
    /// and rounded to 16 bits. A profile other than sRGB is embedded.
    ///
    /// - Parameters:
    ///   - compressionLevel: 0 to 9, zlib's scale. Values beyond are clamped. Default: 6, zlib's own default. At 9,
    ///     photographs are 2 % smaller and take four times as long. Up to 3, two row filters are tried instead of five.
    ///   - reducesColors: whether gray images are stored as gray, and those of at most 256 colors with a palette. The
    ///     pixels are the same. Default: true.
    public static func png(compressionLevel: Int = 6, reducesColors: Bool = true) -> some ImageEncoding {
        PNGEncoder(compressionLevel: compressionLevel, reducesColors: reducesColors)
    }

    /// Encodes WebP with libwebp: lossy or lossless, still or animated, with alpha if the image has it.
    ///
    /// Sides have at most 16,383 pixels. A profile other than sRGB is embedded. Images of more than 8 bits are rounded
    /// to 8. Only the changed part of an animation's frame is stored; a frame equal to the one before is merged with
    /// it.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, a hundredth of libwebp's scale. Values beyond are clamped. Has no effect if `lossless` is
    ///     set. Default: 0.8, a little above libwebp's own default; photographs take about half the bytes of a JPEG
    ///     file with default settings. Alpha is kept exactly.
    ///   - lossless: whether all pixels are kept exactly, including the colors of a still's invisible ones.
    ///   - effort: 0 to 6, libwebp's `method`. Values beyond are clamped. Default: 4, libwebp's own default.
    public static func webp(
        quality: Double = 0.8, lossless: Bool = false, effort: Int = 4
    ) -> some AnimationEncoding {
        WebPEncoder(quality: quality, lossless: lossless, effort: effort)
    }

    /// Encodes AVIF with libavif: lossy or lossless, as a still or a sequence, with alpha if the image has it.
    ///
    /// Sides have at most 65,536 pixels. Code points describe sRGB; an embedded profile describes any other color
    /// space. Images of more than 8 bits are stored with 10, or 12 if lossless. A sequence has no number of plays,
    /// because libavif 0.11 writes none. A frame without a duration is shown for 100 ms, as viewers do in other
    /// formats. The image is encoded in another process if ``DecoderIsolation/standard`` isolates the format.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, from the coarsest to the finest of AV1's 64 steps. Values beyond are clamped. Has no effect
    ///     if `lossless` is set. Default: 0.6, libavif's own default since version 1. Alpha is kept exactly.
    ///   - lossless: whether an image of 8 bits is kept exactly; of a deeper image, 12 bits are kept.
    ///   - fullChroma: as for ``jpeg(quality:progressive:fullChroma:optimized:)``.
    ///   - speed: 0 to 10, libavif's scale. Values beyond are clamped. Default: 8. At 6, which is libavif's own
    ///     default, photographs lose a tenth less (1 − SSIM), are 2 % smaller, and take three times as long. A
    ///     sequence is written at 6 in place of 7, at which libaom 3.6 fails on alpha.
    public static func avif(
        quality: Double = 0.6, lossless: Bool = false, fullChroma: Bool? = nil, speed: Int = 8
    ) -> some AnimationEncoding {
        AVIFEncoder(
            quality: quality, lossless: lossless, chroma: ChromaSubsampling(isFull: fullChroma), speed: speed)
    }

    /// Encodes JPEG XL with libjxl: lossy or lossless, still or animated, with alpha if the image has it.
    ///
    /// Sides have at most 262,144 pixels. sRGB and linear light are stored by name; an embedded profile describes any
    /// other color space. Images of 16 bits and half floats keep their depth. The image is encoded in another process
    /// if ``DecoderIsolation/standard`` isolates the format.
    ///
    /// - Parameters:
    ///   - quality: 0 to 1, a hundredth of the scale of libjxl's command, which is modeled on JPEG's. Values beyond are
    ///     clamped. Has no effect if `lossless` is set. Default: 0.9, where differences start to be visible.
    ///   - lossless: whether all pixels are kept exactly, including the colors of invisible ones.
    ///   - effort: 1 to 9, libjxl's scale. Values beyond are clamped. Lossless files have at least 2 with libjxl 0.8
    ///     and later, whose effort 1 is not always exact. Default: 4. At 7, libjxl's own default, photographs are 3 %
    ///     larger, lose a third less (1 − SSIM), and take six times as long.
    public static func jxl(
        quality: Double = 0.9, lossless: Bool = false, effort: Int = 4
    ) -> some AnimationEncoding {
        JXLEncoder(quality: quality, lossless: lossless, effort: effort)
    }

    /// Encodes GIF, still or animated.
    ///
    /// Frames of at most 256 colors, or 255 beside transparent pixels, are exact. For frames of more colors, a palette
    /// is chosen for each frame by splitting the colors where they vary most. Pixels below half alpha become
    /// transparent, all others opaque. Only the changed part of a frame is stored. Sides have at most 65,535 pixels.
    /// GIF cannot store a profile; colors are assumed to be sRGB.
    ///
    /// - Parameters:
    ///   - colors: the most colors of a frame, 2 to 256; values beyond are clamped. Default: 256.
    ///   - isDithered: whether steps between colors are hidden by error diffusion (Floyd and Steinberg). Has no effect
    ///     on frames that keep their colors. Default: true.
    public static func gif(colors: Int = 256, isDithered: Bool = true) -> some AnimationEncoding {
        GIFEncoder(colors: colors, dithering: isDithered ? .diffusion : .none)
    }
}

extension ImageEncoders: AnimationEncoding {
    /// Never called.
    public var format: ImageFormat {
        switch self {}
    }

    /// Never called.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        switch self {}
    }

    /// Never called.
    public func makeAnimation(
        size: PixelSize, repetitions: RepetitionCount, isOpaque: Bool, colorProfile: ColorProfile?,
        cancellation: CancellationFlag
    ) throws(ImageError) -> any AnimationEncodingSession {
        switch self {}
    }
}
