import FirnCodecs
import FirnImage
import FoundationEssentials

/// The decoder under test.
enum FuzzDecoder {
    /// The decoder of the format that the environment variable `FIRN_FUZZ_FORMAT` names. It decodes every input, even
    /// one that it would not recognize.
    static let chosen: (any ImageDecoding)? = {
        let name = format.rawValue
        guard let head = heads[name] else {
            fatalError("FIRN_FUZZ_FORMAT has to name one of \(heads.keys.sorted().joined(separator: ", "))")
        }
        // The standard decoder reads small files by the library.
        if name == "jpegreduced" { return FormatDecoder.jpegReduced }
        guard let decoder = ImageDecoders.standard.first(where: { $0.recognizes(Data(head)) != nil }) else {
            fatalError("there is no decoder of \(name) in this build")
        }
        return decoder
    }()

    /// The format under test.
    static let format = ImageFormat(rawValue: ProcessInfo.processInfo.environment["FIRN_FUZZ_FORMAT"] ?? "")

    /// The first bytes of each format's files.
    private static let heads: [String: [UInt8]] = [
        "jpeg": [0xFF, 0xD8, 0xFF],
        // The lowest coefficients alone, of sequential files.
        "jpegreduced": [0xFF, 0xD8, 0xFF],
        "png": [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
        "gif": Array("GIF89a".utf8),
        "webp": Array("RIFF\0\0\0\0WEBP".utf8),
        "avif": [0, 0, 0, 16] + Array("ftypavif\0\0\0\0".utf8),
        "heic": [0, 0, 0, 16] + Array("ftypheic\0\0\0\0".utf8),
        // Sequences, which other code reads than still images.
        "heics": [0, 0, 0, 16] + Array("ftypmsf1\0\0\0\0".utf8),
        "jxl": [0xFF, 0x0A],
        "tiff": [0x49, 0x49, 0x2A, 0],
        "bmp": Array("BM".utf8),
        "ico": [0, 0, 1, 0],
        "qoi": Array("qoif".utf8),
        "svg": Array("<svg>".utf8),
    ]
}
