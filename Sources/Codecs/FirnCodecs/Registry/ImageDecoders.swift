internal import CFirnCodecs
import FirnData
@_exported public import FirnImage
@_exported public import FirnProcessing
import FirnSync
public import FoundationEssentials

/// The decoders that come with Firn.
public enum ImageDecoders {
    /// All decoders of this build. The order does not matter: no two take the same content.
    ///
    /// They follow ``DecoderIsolation/standard``.
    public static let standard: [any ImageDecoding] = formats

    /// All decoders of this build, with an isolation of their own.
    ///
    /// - Throws: ``/FirnImage/ImageError/Fault/unsupported`` if the isolation requires `firn-decoder`, and it
    ///   is missing.
    public static func standard(isolation: DecoderIsolation) throws(ImageError) -> [any ImageDecoding] {
        try isolation.check()
        return formats.map { decoder in
            var decoder = decoder
            decoder.isolation = isolation
            return decoder
        }
    }

    /// The decoders, one for each format.
    static let formats: [FormatDecoder] = [
        .jpeg, .png, .webp, .gif, .avif, .heic, .jxl, .tiff, .svg, .bmp, .ico, .qoi,
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

    /// Creates a decoder of a whole file in memory, of every format of this build.
    ///
    ///     let image = try ImageDecoder(data: data).frame(at: 0).image()
    ///
    /// - Throws: ``/FirnImage/ImageError/Fault/limit`` if the file is longer than `maximumBytes`. Other errors
    ///   are those of the methods that read and decode.
    public convenience init(data: Data, limits: ImageLimits = ImageLimits()) throws(ImageError) {
        self.init(limits: limits)
        try setData(data, allDataReceived: true)
    }

    /// Creates a decoder of the file at a `file:` URL, whose bytes are read at once. Blocks the calling thread.
    ///
    /// - Throws: ``/FirnImage/ImageError`` with the path.
    public convenience init(contentsOf url: URL, limits: ImageLimits = ImageLimits()) throws(ImageError) {
        let path = try SourceImage.path(of: url)
        let data = try ImageError.file(path, at: .reading) {
            try LocalFileSystem().read(path, first: limits.maximumBytes.saturatingAdd(1))
        }
        try self.init(data: data, limits: limits)
    }
}

extension FormatDecoder {
    /// Decodes AVIF with libavif: stills and sequences, with alpha, at 8, 10 and 12 bits.
    ///
    /// A build without the package trait `AVIF` recognizes the format, but decoding it fails.
    ///
    /// - Source: AV1 Image File Format 1.1; ISO/IEC 23008-12.
    package static let avif = FormatDecoder(.avif, library: FIRN_CODEC_AVIF, access: .anywhere)

    /// Decodes Windows and OS/2 bitmaps: 1 to 32 bits, palettes, masks, run lengths, embedded JPEG and PNG.
    ///
    /// - Source: [MS-WMF] §2.2.2; Documentation/Formats/bmp.md.
    package static let bmp = FormatDecoder(.bmp) { BMPReader(limits: $0, host: $1) }

    /// Decodes GIF: every frame, composited on the logical screen, with a transparent background as in browsers.
    ///
    /// Blocks and codes are read as the bytes arrive; nothing requires the end of the file.
    ///
    /// - Source: GIF89a specification.
    package static let gif = FormatDecoder(.gif) { limits, _ in GIFReader(limits: limits) }

    /// Decodes HEIC and HEIF: image sequences with libde265, other files with libheif.
    ///
    /// In a file without a sequence, frame 0 is the primary image, and the other top-level images follow. A file with a
    /// sequence and a still is decoded as the sequence. A build without the package trait `HEIC` recognizes the format,
    /// but decoding it fails.
    ///
    /// - Source: ISO/IEC 23008-12.
    package static let heic = FormatDecoder(.heic, library: FIRN_CODEC_HEIC) {
        HEIFReader(limits: $0, host: $1)
    }

    /// Decodes Windows icons and cursors: bitmaps with their masks, and PNG. Frame 0 is the largest image.
    ///
    /// - Source: Win32 "Icons"; Documentation/Formats/ico.md.
    package static let ico = FormatDecoder(.ico) { ICOReader(limits: $0, host: $1) }

    /// Decodes JPEG with libjpeg-turbo: baseline, extended, progressive and arithmetic; gray, color, CMYK and YCCK.
    ///
    /// Scales to a target size in the frequency domain, to the smallest N/8 that covers it. An image of one scan is
    /// never held whole at full size. An eighth or less of a progressive file is decoded from its first scan alone; the
    /// session's `bytesNeeded` is the number of bytes that this took. Its colors then change evenly within each block
    /// of 8 or 16 pixels.
    ///
    /// - Source: ISO/IEC 10918-1; JFIF 1.02; Adobe Technical Note 5116 for inks.
    package static let jpeg = FormatDecoder(.jpeg, library: FIRN_CODEC_JPEG) { JPEGReader(limits: $0, host: $1) }

    /// Decodes JPEG like ``jpeg``, but reads only the lowest coefficients of small sequential files, too. For tests
    /// with small files.
    package static let jpegReduced = FormatDecoder(.jpeg, library: FIRN_CODEC_JPEG) {
        JPEGReader(limits: $0, host: $1, minimumSequentialPixels: 0, bytesOfStripe: 40)
    }

    /// Decodes JPEG XL with libjxl: stills and animations, bare or in a container, as the bytes arrive.
    ///
    /// A build without the package trait `JPEGXL` recognizes the format, but decoding it fails.
    ///
    /// - Source: ISO/IEC 18181-1 and 18181-2.
    package static let jxl = FormatDecoder(.jxl, library: FIRN_CODEC_JXL, access: .forwardsOrWhole)

    /// Decodes PNG with libpng: all color types and depths, interlaced or not, and every frame of an animated PNG,
    /// composited.
    ///
    /// Rows are decoded as the bytes arrive; rows of an interlaced image appear all over it. If the request asks for 8
    /// bits, 16-bit samples are cut to their high byte.
    ///
    /// - Source: W3C PNG (third edition).
    package static let png = FormatDecoder(.png, .apng, library: FIRN_CODEC_PNG) { PNGReader(limits: $0, host: $1) }

    /// Decodes QOI, with and without alpha.
    ///
    /// - Source: QOI specification 1.0; Documentation/Formats/qoi.md.
    package static let qoi = FormatDecoder(.qoi) { limits, _ in QOIReader(limits: limits) }

    /// Renders SVG with librsvg at the requested size. Reads nothing outside the file.
    ///
    /// A build without the package trait `SVG` recognizes the format, but decoding it fails.
    ///
    /// - Source: SVG 1.1; CSS 2.1 §4.3.2 (96 pixels per inch).
    package static let svg = FormatDecoder(.svg, library: FIRN_CODEC_SVG, access: .whole)

    /// Decodes TIFF and BigTIFF with libtiff: pages are frames, read strip by strip or tile by tile.
    ///
    /// The only frame of a camera's raw file is the largest image that can be decoded. A build without the package
    /// trait `TIFF` recognizes the format, but decoding it fails.
    ///
    /// - Source: TIFF 6.0.
    package static let tiff = FormatDecoder(.tiff, library: FIRN_CODEC_TIFF) {
        TIFFReader(limits: $0, host: $1)
    }

    /// Decodes WebP with libwebp: lossy, lossless, with alpha, and every frame of an animation, composited on its
    /// canvas.
    ///
    /// Rows are decoded as the bytes arrive. A still is scaled to the target size while it is decoded.
    ///
    /// - Source: RFC 9649.
    package static let webp = FormatDecoder(.webp, library: FIRN_CODEC_WEBP) { WebPReader(limits: $0, host: $1) }
}

/// A decoder of the files of one format: `FormatDecoder.png`.
package struct FormatDecoder: ImageDecoding {
    /// The formats that ``/FirnImage/ImageFormat/init(_:)`` finds in such files; usually one.
    package let formats: [ImageFormat]
    /// The isolation of files; `nil` for the standard isolation.
    package var isolation: DecoderIsolation?
    /// The origin of the files.
    private var origin = ImageOrigin.program
    /// The C library that the reader needs.
    let library: firn_codec?
    private let makeReader: @Sendable (ImageLimits, DecoderHost) -> any FormatReader

    /// Creates a decoder.
    ///
    /// - Parameter codec: a library that the reader needs; builds may leave out those behind a package trait.
    init(
        _ formats: ImageFormat..., library codec: firn_codec? = nil,
        reader: @escaping @Sendable (ImageLimits, DecoderHost) -> any FormatReader
    ) {
        self.formats = formats
        library = codec
        makeReader = reader
    }

    /// Creates a decoder that reads the whole file with a library.
    init(_ format: ImageFormat, library codec: firn_codec, access: LibraryReader.Access) {
        self.init(format, library: codec) { limits, host in
            LibraryReader(codec, format: format, access: access, limits: limits, host: host)
        }
    }

    /// Returns the format for content that starts like a file of it, otherwise `nil`.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat(head).flatMap { formats.contains($0) ? $0 : nil }
    }

    /// Starts decoding one file. If its library is neither in this program nor in the decoder program, the session
    /// throws an error that names the package trait.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        let host = DecoderHost(isolation, from: origin, DecodingWatch(cancellation))
        return FormatSession(makeReader(limits, host), limits: limits, host: host, failure: missingLibrary(host))
    }

    /// Returns the error of a format whose library is not in this build; `nil` if it is, or is not needed.
    private func missingLibrary(_ host: DecoderHost) -> ImageError? {
        guard let library, !firn_codec_is_built_in(library), !host.isolates(library), let format = formats.first
        else { return nil }
        let trait = KnownFormat.of(format)?.trait ?? ""
        return ImageError(
            .unsupported, at: .decoding, "left out of this build; enable the package trait \(trait)", format: format)
    }
}

extension FormatDecoder: OriginAwareDecoding {
    package func decoder(for origin: ImageOrigin) -> any ImageDecoding {
        var decoder = self
        decoder.origin = origin
        return decoder
    }

    package func isolationProblem(for origin: ImageOrigin) -> String? {
        let isolation = isolation ?? .standard
        guard !isolation.isRequired, formats.contains(where: { isolation.wants($0, from: origin) }),
            WorkerProgram.path(isolation) == nil
        else { return nil }
        return WorkerProgram.problem
    }
}
