import CFirnCodecs
package import FirnImage
package import FoundationEssentials

/// A decoder of the files of one format: `FormatDecoder.png`. Each format defines a constant in its folder.
package struct FormatDecoder: ImageDecoding {
    /// The formats that ``/FirnImage/ImageFormat/sniff(_:)`` finds in such files; usually one.
    package let formats: [ImageFormat]
    /// The isolation of files; `nil` for the standard isolation.
    package var isolation: DecoderIsolation?
    /// The origin of the files.
    private var origin = ImageOrigin.program
    private let library: Library?
    private let makeReader: @Sendable (ImageLimits, DecoderHost) -> any FormatReader

    /// A C library that the reader needs, and the package trait that adds it to a build.
    private struct Library {
        let codec: firn_codec
        let trait: String
    }

    /// Creates a decoder whose reader needs no optional library.
    init(_ formats: ImageFormat..., reader: @escaping @Sendable (ImageLimits, DecoderHost) -> any FormatReader) {
        self.formats = formats
        library = nil
        makeReader = reader
    }

    /// Creates a decoder whose reader needs a library that a build may leave out.
    init(
        _ format: ImageFormat, library codec: firn_codec, trait: String,
        reader: @escaping @Sendable (ImageLimits, DecoderHost) -> any FormatReader
    ) {
        formats = [format]
        library = Library(codec: codec, trait: trait)
        makeReader = reader
    }

    /// Creates a decoder that reads the whole file with a library that a build may leave out.
    init(_ format: ImageFormat, library codec: firn_codec, access: LibraryReader.Access, trait: String) {
        self.init(format, library: codec, trait: trait) { limits, host in
            LibraryReader(codec, format: format, access: access, limits: limits, host: host)
        }
    }

    /// Returns the format for content that starts like a file of it, otherwise `nil`.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head).flatMap { formats.contains($0) ? $0 : nil }
    }

    /// Starts decoding one file. Without its library, the session throws an error that names the package trait.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        if let library, !firn_codec_is_built_in(library.codec) {
            return MissingLibrarySession(format: formats.first, trait: library.trait)
        }
        let host = DecoderHost(isolation, from: origin, RemoteWatch(cancellation))
        return FormatSession(
            makeReader(limits, host), limits: limits, cancellation: cancellation, host: host)
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

/// The session of a format whose library is not in this build. Its calls throw an error that says so.
private final class MissingLibrarySession: ImageDecodingSession {
    private let error: ImageDecodingError

    init(format: ImageFormat?, trait: String) {
        error = ImageDecodingError(
            .unsupported, "left out of this build; enable the package trait \(trait)", format: format)
    }

    func append(_ data: Data) throws(ImageDecodingError) { throw error }

    func finish() {}

    func properties() throws(ImageDecodingError) -> ImageProperties? { throw error }

    func workingBytes(for options: DecodingOptions) -> Int { 0 }

    func decode(_ options: DecodingOptions) throws(ImageDecodingError) -> Bitmap { throw error }
}

extension FormatDecoder {
    /// Decodes AVIF with libavif: stills and sequences, with alpha, at 8, 10 and 12 bits.
    ///
    /// A build without the package trait `AVIF` recognizes the format, but decoding it fails.
    ///
    /// - Source: AV1 Image File Format 1.1; ISO/IEC 23008-12.
    package static let avif = FormatDecoder(.avif, library: FIRN_CODEC_AVIF, access: .anywhere, trait: "AVIF")
}

extension FormatDecoder {
    /// Decodes Windows and OS/2 bitmaps: 1 to 32 bits, palettes, masks, run lengths, embedded JPEG and PNG.
    ///
    /// - Source: [MS-WMF] §2.2.2; Documentation/Formats/bmp.md.
    package static let bmp = FormatDecoder(.bmp) { BMPReader(limits: $0, host: $1) }
}

extension FormatDecoder {
    /// Decodes GIF: every frame, composited on the logical screen, with a transparent background as in browsers.
    ///
    /// Blocks and codes are read as the bytes arrive; nothing requires the end of the file.
    ///
    /// - Source: GIF89a specification.
    package static let gif = FormatDecoder(.gif) { limits, _ in GIFReader(limits: limits) }
}

extension FormatDecoder {
    /// Decodes HEIC and HEIF: image sequences with libde265, other files with libheif.
    ///
    /// Of a file without a sequence, frame 0 is the primary image; every other top-level image follows as a frame. A
    /// file that holds a sequence and a still is decoded as the sequence. A build without the package trait `HEIC`
    /// recognizes the format, but decoding it fails.
    ///
    /// - Source: ISO/IEC 23008-12.
    package static let heic = FormatDecoder(.heic, library: FIRN_CODEC_HEIC, trait: "HEIC") {
        HEIFReader(limits: $0, host: $1)
    }
}

extension FormatDecoder {
    /// Decodes Windows icons and cursors: bitmaps with their masks, and PNG. Frame 0 is the largest image.
    ///
    /// - Source: Win32 "Icons"; Documentation/Formats/ico.md.
    package static let ico = FormatDecoder(.ico) { ICOReader(limits: $0, host: $1) }
}

extension FormatDecoder {
    /// Decodes JPEG with libjpeg-turbo: baseline, extended, progressive and arithmetic; gray, color, CMYK and YCCK.
    ///
    /// Scales to a target size in the frequency domain, to the smallest N/8 that covers it. An image of one scan is
    /// never held whole at full size. An eighth or less of a progressive file is decoded from its first scan alone; the
    /// session's `bytesNeeded` is the number of bytes that this took. Its colors then change evenly within each block
    /// of 8 or 16 pixels.
    ///
    /// - Source: ISO/IEC 10918-1; JFIF 1.02; Adobe Technical Note 5116 for inks.
    package static let jpeg = FormatDecoder(.jpeg) { JPEGReader(limits: $0, host: $1) }

    /// Decodes JPEG like ``jpeg``, but reads only the lowest coefficients of small sequential files, too. For tests
    /// with small files.
    package static let jpegReduced = FormatDecoder(.jpeg) {
        JPEGReader(limits: $0, host: $1, minimumSequentialPixels: 0, bytesOfStripe: 40)
    }
}

extension FormatDecoder {
    /// Decodes JPEG XL with libjxl: stills and animations, bare or in a container, as the bytes arrive.
    ///
    /// A build without the package trait `JPEGXL` recognizes the format, but decoding it fails.
    ///
    /// - Source: ISO/IEC 18181-1 and 18181-2.
    package static let jxl = FormatDecoder(.jxl, library: FIRN_CODEC_JXL, access: .forwardsOrWhole, trait: "JPEGXL")
}

extension FormatDecoder {
    /// Decodes PNG with libpng: all color types and depths, interlaced or not, and every frame of an animated PNG,
    /// composited.
    ///
    /// Rows are decoded as the bytes arrive; rows of an interlaced image appear all over it. If the request asks for 8
    /// bits, 16-bit samples are cut to their high byte.
    ///
    /// - Source: W3C PNG (third edition).
    package static let png = FormatDecoder(.png, .apng) { PNGReader(limits: $0, host: $1) }
}

extension FormatDecoder {
    /// Decodes QOI, with and without alpha.
    ///
    /// - Source: QOI specification 1.0; Documentation/Formats/qoi.md.
    package static let qoi = FormatDecoder(.qoi) { limits, _ in QOIReader(limits: limits) }
}

extension FormatDecoder {
    /// Renders SVG with librsvg at the requested size. Reads nothing outside the file.
    ///
    /// A build without the package trait `SVG` recognizes the format, but decoding it fails.
    ///
    /// - Source: SVG 1.1; CSS 2.1 §4.3.2 (96 pixels per inch).
    package static let svg = FormatDecoder(.svg, library: FIRN_CODEC_SVG, access: .whole, trait: "SVG")
}

extension FormatDecoder {
    /// Decodes TIFF and BigTIFF with libtiff: pages are frames, read strip by strip or tile by tile.
    ///
    /// Of a camera's raw file, the largest image that can be decoded is the only frame. A build without the package
    /// trait `TIFF` recognizes the format, but decoding it fails.
    ///
    /// - Source: TIFF 6.0.
    package static let tiff = FormatDecoder(.tiff, library: FIRN_CODEC_TIFF, trait: "TIFF") {
        TIFFReader(limits: $0, host: $1)
    }
}

extension FormatDecoder {
    /// Decodes WebP with libwebp: lossy, lossless, with alpha, and every frame of an animation, composited on its
    /// canvas.
    ///
    /// Rows are decoded as the bytes arrive. A still is scaled to the target size while it is decoded.
    ///
    /// - Source: RFC 9649.
    package static let webp = FormatDecoder(.webp) { WebPReader(limits: $0, host: $1) }
}
