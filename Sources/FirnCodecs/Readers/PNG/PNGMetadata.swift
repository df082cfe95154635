import CFirnCodecs
import FirnImage
import FoundationEssentials

/// What the ancillary chunks of a PNG say.
///
/// - Source: PNG (third edition) §11.3; §4.3 for the precedence of what tells of colours; XMP specification part 3
///   §1.1.5 for the packet; ImageMagick's text chunks "Raw profile type" for EXIF data before the chunk eXIf was defined.
struct PNGMetadata {
    /// A coding-independent code point, which overrides all below.
    private var codePoints: ColorDescription?
    private var profile: ColorProfile?
    private var isSRGB = false
    private var numbers = ColorDescription()
    private var exif: Data?
    private var rawExif: Data?
    private var xmp: Data?
    private var resolution: ImageProperties.Resolution?

    /// Chunks that ``take(_:_:_:isBeforePixels:)`` wants.
    static let types: Set<FourCharacterCode> = [
        "cICP", "iCCP", "sRGB", "gAMA", "cHRM", "pHYs", "eXIf", "tEXt", "zTXt", "iTXt",
    ]

    /// Most bytes of text that are unpacked.
    private static let textBytes = 4 << 20

    /// Takes a chunk; the first of a kind counts. What tells of colours counts only before the pixels.
    mutating func take(_ type: FourCharacterCode, _ content: Data, _ limits: DecodingLimits, isBeforePixels: Bool) {
        switch type {
        case "eXIf": exif = exif ?? content
        case "tEXt": takeText(PNGText(plain: content))
        case "zTXt": takeText(PNGText(packed: content, most: PNGMetadata.textBytes))
        case "iTXt": takeText(PNGText(international: content, most: PNGMetadata.textBytes))
        case "pHYs": takeResolution([UInt8](content))
        default: if isBeforePixels { takeColor(type, content, limits) }
        }
    }

    private mutating func takeColor(_ type: FourCharacterCode, _ content: Data, _ limits: DecodingLimits) {
        let bytes = [UInt8](content.prefix(32))
        switch type {
        case "cICP":
            // The matrix has to be that of RGB, the range full: anything else cannot stand in a PNG.
            guard codePoints == nil, bytes.count == 4, bytes[2] == 0, bytes[3] == 1 else { return }
            var description = ColorDescription()
            description.primariesCode = bytes[0] == 2 ? nil : Int(bytes[0])
            description.transferCode = bytes[1] == 2 ? nil : Int(bytes[1])
            if description != ColorDescription() { codePoints = description }
        case "iCCP":
            // A name, its end, the compression method.
            guard profile == nil, let end = content.firstIndex(of: 0), content.endIndex - end > 2,
                let icc = ZlibStream.unpacked(content[(end + 2)...], most: limits.maximumProfileBytes)
            else { return }
            profile = ColorProfile(icc: icc)
        case "sRGB": isSRGB = true
        case "gAMA":
            guard bytes.count == 4, let gamma = number(bytes, 0), gamma > 0 else { return }
            numbers.gamma = Double(gamma) / 100_000
        case "cHRM":
            let values = (0..<8).compactMap { number(bytes, $0 * 4).map { Double($0) / 100_000 } }
            guard values.count == 8 else { return }
            func point(_ index: Int) -> ColorDescription.Chromaticity {
                ColorDescription.Chromaticity(x: values[index * 2], y: values[index * 2 + 1])
            }
            numbers.primaries = ColorDescription.Primaries(
                white: point(0), red: point(1), green: point(2), blue: point(3))
        default: break
        }
    }

    private mutating func takeResolution(_ bytes: [UInt8]) {
        // The unit 1 is the metre; 0 tells of the pixels' shape only.
        guard bytes.count == 9, bytes[8] == 1, let x = number(bytes, 0), let y = number(bytes, 4), x > 0, y > 0
        else { return }
        let metresPerInch = 0.0254
        resolution = ImageProperties.Resolution(
            horizontal: Double(x) * metresPerInch, vertical: Double(y) * metresPerInch)
    }

    private mutating func takeText(_ text: PNGText?) {
        guard let text else { return }
        switch text.keyword {
        case "XML:com.adobe.xmp": xmp = xmp ?? text.content
        case "Raw profile type exif", "Raw profile type APP1": rawExif = rawExif ?? text.hexadecimalProfile
        default: break
        }
    }

    private func number(_ bytes: [UInt8], _ offset: Int) -> Int? {
        guard offset + 4 <= bytes.count else { return nil }
        return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Tells `properties` what is known.
    func describe(_ properties: inout ImageProperties) {
        properties.exif = exif ?? rawExif
        properties.xmp = xmp
        properties.resolution = resolution
        properties.orientation = orientation
        properties.colorProfile = codePoints == nil ? profile : nil
        properties.colorDescription = codePoints
        if codePoints == nil, profile == nil, !isSRGB, numbers != ColorDescription() {
            properties.colorDescription = numbers
        }
    }

    /// The chunk made for it first, then XMP, then what was written before there was such a chunk.
    private var orientation: Orientation {
        let code: UInt32
        if let exif {
            code = PNGMetadata.read(exif, firn_exif_orientation)
        } else if let xmp, case let found = PNGMetadata.read(xmp, firn_xmp_orientation), found != 1 {
            code = found
        } else {
            code = rawExif.map { PNGMetadata.read($0, firn_exif_orientation) } ?? 1
        }
        return Orientation(rawValue: Int(code)) ?? .up
    }

    private static func read(_ data: Data, _ reader: (UnsafePointer<UInt8>?, Int) -> UInt32) -> UInt32 {
        data.withUnsafeBytes { bytes in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return 1 }
            return reader(base, bytes.count)
        }
    }
}
