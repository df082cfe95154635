import CFirnCodecs
import FirnData
import FoundationEssentials

/// The metadata in the ancillary chunks of a PNG.
///
/// - Source: PNG (third edition) §11.3; §4.3 for the precedence of color chunks; XMP specification part 3 §1.1.5 for
///   the packet; ImageMagick's text chunks "Raw profile type" for EXIF data before the chunk eXIf was defined.
struct PNGMetadata {
    /// The cICP code points, which override all color properties below.
    private var codePoints: ColorDescription?
    private var profile: ColorProfile?
    private var isSRGB = false
    private var numbers = ColorDescription()
    private var light = ImageLight()
    private var exif: Data?
    private var rawExif: Data?
    private var xmp: Data?
    private var rawXMP: Data?
    private var iptc: Data?
    private var iptcDigest: Data?
    /// The author and the rights by their keywords.
    private var texts: [String: String] = [:]
    private var hasOtherTexts = false
    private var resolution: ImageResolution?

    /// The chunks that ``take(_:_:_:isBeforePixels:)`` handles.
    static let types: Set<FourCharacterCode> = [
        "cICP", "iCCP", "sRGB", "gAMA", "cHRM", "mDCV", "cLLI", "pHYs", "eXIf", "tEXt", "zTXt", "iTXt",
    ]

    /// The number of first bytes of a chunk that ``wants(_:_:length:)`` examines: the longest keyword with its end.
    static let headLength = 80
    /// The most bytes of one text.
    private static let maximumTextBytes = 4 << 20
    /// The bytes of text that may still be read or decompressed, which bounds the cost of many texts.
    private var textBytesLeft = 16 << 20
    /// True if a profile was found. PNG allows one; a second profile does not replace a damaged one.
    private var hasProfile = false

    /// Returns whether the content of a chunk is used. Other chunks are neither read nor decompressed.
    ///
    /// - Parameter head: the chunk's first ``headLength`` bytes, or all if it has fewer.
    mutating func wants(_ type: FourCharacterCode, _ head: Data, length: Int) -> Bool {
        switch type {
        case "cICP", "gAMA", "cHRM", "sRGB", "mDCV", "cLLI", "pHYs": return length <= PNGMetadata.headLength
        case "eXIf": return exif == nil
        case "iCCP": return !hasProfile
        default:
            guard length <= PNGMetadata.maximumTextBytes, textBytesLeft > 0, let keyword = PNGText.keyword(head) else {
                return false
            }
            switch keyword {
            case PNGText.xmp: return xmp == nil && type != "zTXt"
            case PNGText.hexadecimalXMP: return rawXMP == nil && type != "iTXt"
            case PNGText.exif, PNGText.app1: return rawExif == nil && type != "iTXt"
            case PNGText.author, PNGText.copyright: return texts[keyword] == nil
            case _ where PNGText.iptc.contains(keyword): return iptc == nil && type != "iTXt"
            default:
                if !hasOtherTexts { (hasOtherTexts, hasChanged) = (true, true) }
                return false
            }
        }
    }

    /// Reads a chunk; the first of each type counts. Color chunks count only before the pixels.
    ///
    /// - Throws: ``ImageError`` if the worker that decompresses ended.
    mutating func take(
        _ type: FourCharacterCode, _ content: Data, _ limits: ImageLimits, _ streams: ZlibStreams,
        isBeforePixels: Bool
    ) throws(ImageError) {
        hasChanged = true
        let bytes = [UInt8](content.prefix(32))
        switch type {
        case "eXIf": exif = exif ?? content
        case "tEXt", "zTXt", "iTXt": try takeText(type, content, streams)
        case "pHYs":
            // Unit 1 is the meter; unit 0 describes only the pixels' aspect ratio.
            guard bytes.count == 9, bytes[8] == 1 else { return }
            resolution = ImageResolution(perMeter: bytes.big(0, 4), bytes.big(4, 4))
        case _ where !isBeforePixels: break
        case "cICP":
            // The matrix must be RGB and the range full: PNG allows nothing else.
            guard codePoints == nil, bytes.count == 4, bytes[2] == 0, bytes[3] == 1 else { return }
            codePoints = ColorDescription(primaries: Int(bytes[0]), transfer: Int(bytes[1]))
            (light.matrix, light.isFullRange) = (0, true)
        case "mDCV", "cLLI": light.take(type, ISOFields([UInt8](content), DecodingWatch()))
        case "iCCP":
            // A name, its end, the compression method.
            guard !hasProfile else { return }
            hasProfile = true
            guard let end = content.firstIndex(of: 0), content.endIndex - end > 2,
                let icc = try streams.unpacked(content[(end + 2)...], most: limits.maximumProfileBytes)
            else { return }
            profile = ColorProfile(icc: icc)
        case "sRGB": isSRGB = true
        case "gAMA":
            guard bytes.count == 4, bytes.big(0, 4) > 0 else { return }
            numbers.gamma = Double(bytes.big(0, 4)) / 100_000
        case "cHRM":
            guard bytes.count == 32 else { return }
            func point(_ index: Int) -> ColorDescription.Chromaticity {
                SIMD2(Double(bytes.big(index * 8, 4)), Double(bytes.big(index * 8 + 4, 4))) / 100_000
            }
            numbers.primaries = ColorDescription.Primaries(
                white: point(0), red: point(1), green: point(2), blue: point(3))
        default: break
        }
    }

    private mutating func takeText(
        _ type: FourCharacterCode, _ content: Data, _ streams: ZlibStreams
    ) throws(ImageError) {
        let most = min(PNGMetadata.maximumTextBytes, textBytesLeft)
        let text = try PNGText(type, content, most: most, streams)
        // A text that is too long or damaged counts as the longest text.
        textBytesLeft -= text?.content.count ?? most
        guard let text else { return }
        switch text.keyword {
        case PNGText.xmp: xmp = xmp ?? text.content
        case PNGText.hexadecimalXMP: rawXMP = rawXMP ?? text.hexadecimalProfile
        case PNGText.author, PNGText.copyright:
            texts[text.keyword] = texts[text.keyword] ?? String(ofMetadata: text.content).withoutControlCharacters
        case _ where PNGText.iptc.contains(text.keyword):
            let profile = text.hexadecimalProfile
            iptc = iptc ?? profile.flatMap { IPTCRecords.block(inProfile: $0) }
            iptcDigest = iptcDigest ?? profile.flatMap { IPTCRecords.block(inPhotoshop: $0, resource: 0x0425) }
        default: rawExif = rawExif ?? text.hexadecimalProfile
        }
    }

    /// True if chunks were read since the last call of ``describe(_:)``.
    private var hasChanged = true

    /// Copies the metadata to `properties` if there are new ones; returns whether there are. Parsing them again for
    /// each piece of a file would take quadratic time.
    mutating func describe(_ properties: inout ImageProperties) -> Bool {
        guard hasChanged else { return false }
        hasChanged = false
        properties.exif = exif ?? rawExif
        properties.xmp = xmp ?? rawXMP
        properties.iptc = iptc
        properties.iptcDigest = iptcDigest
        properties.light = light
        if isSRGB { (properties.light.primaries, properties.light.transfer) = (1, 13) }
        properties.texts = texts
        properties.hasOtherTexts = hasOtherTexts
        properties.resolution = resolution ?? properties.exif.flatMap { EXIFDirectories($0)?.resolution }
        properties.orientation = orientation
        properties.colorProfile = codePoints == nil ? profile : nil
        properties.colorDescription = codePoints
        if codePoints == nil, profile == nil, !isSRGB, numbers != ColorDescription() {
            properties.colorDescription = numbers
        }
        return true
    }

    /// The orientation: from eXIf, otherwise from XMP, otherwise from older text chunks.
    private var orientation: ImageOrientation {
        if let exif { return EXIFDirectories(exif)?.orientation ?? .up }
        // Source: XMP specification part 2 §3.2.
        let stated = xmp.flatMap { XMPPacket($0).text("tiff:Orientation") }.flatMap { Int($0) }
        if let turn = stated.flatMap({ ImageOrientation(rawValue: $0) }), turn != .up { return turn }
        return rawExif.flatMap { EXIFDirectories($0) }?.orientation ?? .up
    }
}

/// Decompresses small, complete zlib streams.
struct ZlibStreams {
    /// The workers that decompress; `nil` for this process.
    var workers: CodecWorkers?

    /// Returns the decompressed bytes of `data`; `nil` if it is damaged or they are more than `most`.
    ///
    /// - Throws: ``ImageError`` if a worker ended.
    func unpacked(_ data: Data, most: Int) throws(ImageError) -> Data? {
        if let workers { return try workers.unpacked(data, most: most) }
        return data.withUnsafeBytes { bytes in
            var length = 0
            guard
                let block = firn_zlib_unpack(
                    bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, max(0, most), &length)
            else { return nil }
            defer { firn_zlib_free(block) }
            return Data(bytes: block, count: length)
        }
    }
}

/// A keyword and its text.
///
/// - Source: PNG (third edition) §11.3.3.
struct PNGText {
    /// The keywords of an XMP packet.
    static let xmp = "XML:com.adobe.xmp"
    static let hexadecimalXMP = "Raw profile type xmp"
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
    /// - Parameter streams: `nil` to ignore compressed text.
    /// - Throws: ``ImageError`` if a worker ended.
    init?(_ type: FourCharacterCode, _ chunk: Data, most: Int, _ streams: ZlibStreams?) throws(ImageError) {
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
        guard let text, let content = isPacked ? try streams?.unpacked(text, most: most) : text else { return nil }
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
        return bytes.withoutEXIFName
    }
}
