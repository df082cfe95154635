import FirnData
import FoundationEssentials

/// A keyword and its text.
///
/// - Source: PNG (third edition) §11.3.3.
struct PNGText {
    /// The keyword of an XMP packet.
    static let xmp = "XML:com.adobe.xmp"
    /// The keywords of EXIF data.
    static let exif = "Raw profile type exif"
    static let app1 = "Raw profile type APP1"
    /// The keywords of IPTC records.
    static let iptc: Set = ["Raw profile type iptc", "Raw profile type 8bim", "Raw profile type IPTC"]
    static let author = "Author"
    static let copyright = "Copyright"
    /// The most bytes of a keyword.
    private static let keywordBytes = 79

    let keyword: String
    /// The text's bytes.
    let content: Data

    /// Parses a chunk: keyword, end, and the text of tEXt; the method and the compressed text of zTXt; the compression
    /// flag, method, language, end, translated keyword, end and text of iTXt.
    ///
    /// - Throws: ``ImageDecodingError`` if a worker ended.
    init?(_ type: FourCharacterCode, _ chunk: Data, most: Int, _ streams: ZlibStreams) throws(ImageDecodingError) {
        guard let (keyword, rest) = PNGText.split(chunk) else { return nil }
        var text: Data? = rest
        var isPacked = false
        switch type {
        case "tEXt": break
        case "zTXt":
            isPacked = true
            if rest.first != 0 { return nil }
            text = rest.dropFirst()
        default:
            isPacked = rest.first == 1
            text = PNGText.behindZero(rest.dropFirst(2)).flatMap(PNGText.behindZero)
        }
        guard let text, let content = isPacked ? try streams.unpacked(text, most: most) : text else { return nil }
        self.keyword = keyword
        self.content = content
    }

    /// Returns the keyword of a text chunk, of which the first bytes are enough; `nil` if it has no end.
    static func keyword(_ chunk: Data) -> String? { split(chunk)?.0 }

    /// Splits a chunk into the keyword and the bytes after its end.
    private static func split(_ data: Data) -> (String, Data)? {
        guard let end = data.prefix(keywordBytes + 1).firstIndex(of: 0) else { return nil }
        return (String(decoding: data[..<end], as: UTF8.self), data[(end + 1)...])
    }

    /// Returns the bytes after the first zero byte.
    private static func behindZero(_ data: Data) -> Data? {
        data.firstIndex(of: 0).map { data[($0 + 1)...] }
    }

    /// The bytes of a hexadecimal profile: a line end, the profile's name, its length, and lines of digits.
    var hexadecimalProfile: Data? {
        let lines = content.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: true)
        guard lines.count == 3 else { return nil }
        let digits = lines[2].compactMap { PercentEncoding.hexadecimalValue($0) }
        let bytes = Data(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
        return bytes.starts(with: Array("Exif\0\0".utf8)) ? bytes.dropFirst(6) : bytes
    }
}
