import FirnCodecs
import FirnImage
import FoundationEssentials

/// A file of each format and of each way that a format is decoded, large enough for many regions.
enum ModeImages {
    private static let size = PixelSize(width: 96, height: 80)

    /// All files, except those that this build cannot encode.
    static let all: [GeneratedImage] = makers.compactMap { name, format, make in
        (try? make()).map { GeneratedImage(name, format, $0, [], size: size) }
    }

    /// Waves with some noise; opaque, or with alpha.
    private static func bitmap(_ phase: Int = 0, alpha: Bool = false) throws -> Bitmap {
        try Bitmap(size: size, format: .rgba8Straight, isOpaque: !alpha) { pixels in
            for y in 0..<size.height {
                let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                for x in 0..<size.width {
                    let noise = (x * 31 + y * 17 + x * y) % 23
                    row[x * 4] = UInt8(truncatingIfNeeded: x * 5 + noise + phase)
                    row[x * 4 + 1] = UInt8(truncatingIfNeeded: y * 6 + noise)
                    row[x * 4 + 2] = UInt8(truncatingIfNeeded: (x + y) * 3 + phase)
                    row[x * 4 + 3] = alpha ? UInt8(truncatingIfNeeded: 255 - (x * y) % 200) : 255
                }
            }
        }
    }

    private static func jpeg(_ chroma: ChromaSubsampling, progressive: Bool = false) throws -> Data {
        try JPEGEncoder(quality: 0.9, progressive: progressive, chroma: chroma).encode(bitmap())
    }

    /// Returns a JPEG of three components, of which two are halved in both directions, with restart markers.
    private static func restarts(_ interval: Int) -> Data {
        var file = HandmadeJPEG(
            width: size.width, height: size.height, factors: [(2, 2), (1, 1), (1, 1)], restartInterval: interval)
        file.isSequential = true
        file.scans = [HandmadeJPEG.Scan(components: [0, 1, 2])]
        return file.data
    }

    private static func animation(_ encoder: any AnimationEncoding) throws -> Data {
        let session = try encoder.makeAnimation(size: size, repetitions: .forever)
        for phase in [0, 90, 180] { try session.append(bitmap(phase), duration: .milliseconds(50)) }
        return try session.finish()
    }

    private static func interlaced() throws -> Data {
        let pixels = try bitmap(alpha: true).packed
        let rows = (0..<size.height).map { Array(pixels[$0 * size.width * 4..<($0 + 1) * size.width * 4]) }
        var png = HandmadePNG(width: size.width, height: size.height, colorType: 6, rows: rows)
        png.isInterlaced = true
        return png.data
    }

    /// An image whose profile moves every color.
    private static func profiled(_ format: ImageFormat) throws -> Data {
        let plain = try bitmap()
        let image = plain.assigningColorProfile(ColorProfile(icc: GeneratedProfile.rgb))
        return try ImageEncoders.encoder(for: format)?.encode(image) ?? Data()
    }

    /// A gray image with a profile, and with its orientation in a compressed text.
    private static func compressedTexts() -> Data {
        let rows = (0..<size.height).map { y in (0..<size.width).map { UInt8(truncatingIfNeeded: $0 * 3 + y * 2) } }
        var png = HandmadePNG(width: size.width, height: size.height, colorType: 0, rows: rows)
        png.before = [("iCCP", Array("gray".utf8) + [0, 0] + HandmadePNG.stored([UInt8](GeneratedProfile.gray)))]
        let xmp = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/></rdf:RDF>\
            </x:xmpmeta>
            """
        png.before.append(
            ("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 1, 0, 0, 0] + HandmadePNG.stored(Array(xmp.utf8))))
        return png.data
    }

    private static let makers: [(String, ImageFormat, @Sendable () throws -> Data)] = [
        ("jpeg-full", .jpeg, { try jpeg(.full) }),
        ("jpeg-quarter", .jpeg, { try jpeg(.quarter) }),
        ("jpeg-quarter-progressive", .jpeg, { try jpeg(.quarter, progressive: true) }),
        ("jpeg-quarter-restarts", .jpeg, { restarts(6) }),
        ("jpeg-quarter-restarts-anywhere", .jpeg, { restarts(5) }),
        ("png-plain", .png, { try PNGEncoder().encode(bitmap(alpha: true)) }),
        ("png-interlaced", .png, { try interlaced() }),
        (
            "apng-large", .apng,
            {
                try GeneratedFiles.apng([bitmap(), bitmap(90), bitmap(180)], milliseconds: 50, loops: 0)
            }
        ),
        ("webp-lossless", .webp, { try WebPEncoder(lossless: true).encode(bitmap(alpha: true)) }),
        ("webp-lossy", .webp, { try WebPEncoder(quality: 0.8).encode(bitmap()) }),
        ("webp-animated", .webp, { try animation(WebPEncoder(quality: 0.8)) }),
        ("gif-animated", .gif, { try animation(GIFEncoder(dithering: .none)) }),
        ("bmp", .bmp, { try BMPEncoder().encode(bitmap()) }),
        ("ico", .ico, { try ICOEncoder().encode(bitmap(alpha: true)) }),
        ("qoi", .qoi, { GeneratedFiles.qoi(try bitmap(alpha: true).packed, size: size) }),
        ("tiff", .tiff, { try TIFFEncoder().encode(bitmap(alpha: true)) }),
        ("jxl-lossless", .jxl, { try JXLEncoder(lossless: true).encode(bitmap(alpha: true)) }),
        ("jxl-lossy", .jxl, { try JXLEncoder(quality: 0.8).encode(bitmap()) }),
        ("jxl-animated", .jxl, { try animation(JXLEncoder(lossless: true)) }),
        ("avif-lossy", .avif, { try AVIFEncoder(quality: 0.8).encode(bitmap()) }),
        ("avif-alpha", .avif, { try AVIFEncoder(lossless: true).encode(bitmap(alpha: true)) }),
        ("jpeg-profile", .jpeg, { try profiled(.jpeg) }),
        ("png-profile", .png, { try profiled(.png) }),
        ("png-compressed-texts", .png, { compressedTexts() }),
        ("webp-profile", .webp, { try profiled(.webp) }),
        ("tiff-profile", .tiff, { try profiled(.tiff) }),
        ("avif-profile", .avif, { try profiled(.avif) }),
        ("jxl-profile", .jxl, { try profiled(.jxl) }),
        ("svg", .svg, { svg }),
        ("heic", .heic, { GeneratedImages.all.first { $0.format == .heic }?.data ?? Data() }),
    ]

    private static let svg = Data(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="96" height="80">
        <circle cx="40" cy="37" r="33.3" fill="#f30" opacity="0.7"/>
        <path d="M3 77L93 5" stroke="#06c" stroke-width="7"/>
        </svg>
        """.utf8)
}
