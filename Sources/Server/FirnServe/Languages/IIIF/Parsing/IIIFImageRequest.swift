/// A request for an image: the parsed parts of its URI, not yet applied to an image.
///
/// Steps are applied in the order region, size, mirroring, rotation, quality, format.
struct IIIFImageRequest: Equatable, Sendable {
    let version: IIIFVersion
    let region: IIIFRegion
    let size: IIIFSize
    /// True if the region may be enlarged: with `^`, and always in 2.1.
    let allowsUpscaling: Bool
    /// True if the image is mirrored horizontally before the rotation (section 4.3).
    let isMirrored: Bool
    /// The clockwise rotation in millionths of a degree, 0 to 360,000,000.
    let angle: Int
    let quality: IIIFQuality
    let format: IIIFFormat
    /// The decoded parts, for messages.
    let regionText: [UInt8]
    let sizeText: [UInt8]
    let rotationText: [UInt8]

    /// The clockwise rotation in steps of 90 degrees, 0 to 3; `nil` for other angles. 360 degrees are 0.
    var quarterTurns: Int? {
        let quarter = 90 * IIIFNumber.unit
        return angle.isMultiple(of: quarter) ? angle / quarter % 4 : nil
    }

    /// Parses `{region}/{size}/{rotation}/{quality}.{format}`, whose parts are percent-decoded once.
    ///
    /// - Throws: ``ServeError`` with status 400 that names the part, or 404 for another number of parts.
    init(segments: some Collection<ArraySlice<UInt8>>, version: IIIFVersion) throws(ServeError) {
        let parts = segments.compactMap { PercentEncoding.strictlyDecoded($0) }
        guard parts.count == segments.count else {
            throw ServeError(400, "path: '%' must be followed by two hexadecimal digits")
        }
        guard parts.count == 4 else {
            throw ServeError(404, "path: expected {region}/{size}/{rotation}/{quality}.{format}")
        }
        self.version = version
        (regionText, sizeText, rotationText) = (parts[0], parts[1], parts[2])
        guard let region = IIIFRegion(regionText) else {
            throw .invalid("region", regionText, "expected full, square, x,y,w,h or pct:x,y,w,h")
        }
        self.region = region
        let isMarked = version == .three && sizeText.first == UInt8(ascii: "^")
        allowsUpscaling = isMarked || version == .two
        guard let size = IIIFSize(sizeText.dropFirst(isMarked ? 1 : 0), version) else {
            let forms = "max, w, ,h pct:n w,h or !w,h of numbers above 0"
            throw .invalid(
                "size", sizeText, version == .two ? "expected full, \(forms)" : "expected \(forms), with or without ^")
        }
        self.size = size
        isMirrored = rotationText.first == UInt8(ascii: "!")
        let angle = IIIFNumber.decimal(rotationText.dropFirst(isMirrored ? 1 : 0))
        guard let angle, angle <= 360 * IIIFNumber.unit else {
            throw .invalid("rotation", rotationText, "expected n or !n with n from 0 to 360")
        }
        self.angle = angle
        guard let period = parts[3].lastIndex(of: UInt8(ascii: ".")) else {
            throw .invalid("format", parts[3], "expected {quality}.{format}")
        }
        let words = (parts[3][..<period], parts[3][(period + 1)...])
        quality = try .named(words.0, "quality", "expected default, color, gray or bitonal")
        format = try .named(words.1, "format", "unknown format; jpg and png are always available")
    }
}

extension RawRepresentable<String> {
    /// Parses a decoded word.
    ///
    /// - Throws: ``ServeError`` with status 400 for any other word.
    fileprivate static func named(_ word: ArraySlice<UInt8>, _ part: String, _ reason: String) throws(ServeError)
        -> Self
    {
        guard let value = Self(rawValue: String(decoding: word, as: UTF8.self)) else {
            throw .invalid(part, word, reason)
        }
        return value
    }
}

/// The file format of the result. The order of the cases is that in `info.json`.
///
/// Source: IIIF Image API 3.0, section 4.5.
enum IIIFFormat: String, CaseIterable, Sendable {
    case jpg, png, tif, gif, webp

    var mediaType: String { ImageFormat(ending: rawValue).mediaType ?? "application/octet-stream" }
}

/// The colors of the result.
///
/// Source: IIIF Image API 3.0, section 4.4.
enum IIIFQuality: String, CaseIterable, Sendable {
    /// The server's default, which is ``color``.
    case `default`
    case color
    case gray
    case bitonal

    /// The quality in canonical URIs: ``default`` for ``color``, since both give the same result.
    var canonical: IIIFQuality { self == .color ? .default : self }
}

/// The part of the image that is returned.
///
/// Source: IIIF Image API 3.0, section 4.1.
enum IIIFRegion: Equatable, Sendable {
    case full
    /// A centered square with the length of the shorter side.
    case square
    /// A rectangle in pixels of the upright image.
    case pixels(x: Int, y: Int, width: Int, height: Int)
    /// A rectangle in millionths of a percent of the image's sides.
    case percent(x: Int, y: Int, width: Int, height: Int)

    /// Reads the decoded part; `nil` for any other form.
    init?(_ text: [UInt8]) {
        let isPercent = text.starts(with: "pct:".utf8)
        if text.elementsEqual("full".utf8) {
            self = .full
        } else if text.elementsEqual("square".utf8) {
            self = .square
        } else if let numbers = IIIFNumber.list(
            text.dropFirst(isPercent ? 4 : 0), count: 4,
            number: { isPercent ? IIIFNumber.decimal($0) : IIIFNumber.integer($0) })
        {
            let (x, y, width, height) = (numbers[0], numbers[1], numbers[2], numbers[3])
            self =
                isPercent
                ? .percent(x: x, y: y, width: width, height: height)
                : .pixels(x: x, y: y, width: width, height: height)
        } else {
            return nil
        }
    }
}

/// The size to which the region is scaled.
///
/// Source: IIIF Image API 2.1 and 3.0, section 4.2.
enum IIIFSize: Equatable, Sendable {
    /// `max`: the size of the region, or the largest size within the limits.
    case max
    /// `w,`: this width, in pixels; the height follows the ratio.
    case width(Int)
    /// `,h`: this height, in pixels; the width follows the ratio.
    case height(Int)
    /// `pct:n`: a share of the region, in millionths of a percent. `full` of 2.1 is 100 percent.
    case percent(Int)
    /// `w,h`: exactly this size, in pixels; may distort.
    case exact(width: Int, height: Int)
    /// `!w,h`: the largest size of the region's ratio within this box, in pixels.
    case within(width: Int, height: Int)

    /// Reads the decoded part without `^`; `nil` for any other form, and for a width, height or percentage of 0.
    init?(_ text: ArraySlice<UInt8>, _ version: IIIFVersion) {
        let isWithin = text.first == UInt8(ascii: "!")
        if text.elementsEqual("max".utf8) {
            self = .max
        } else if version == .two, text.elementsEqual("full".utf8) {
            self = .percent(IIIFGeometry.whole)
        } else if text.starts(with: "pct:".utf8) {
            guard let share = IIIFNumber.decimal(text.dropFirst(4)), share > 0 else { return nil }
            self = .percent(share)
        } else if !isWithin, text.last == UInt8(ascii: ",") {
            guard let width = IIIFSize.side(text.dropLast()) else { return nil }
            self = .width(width)
        } else if text.first == UInt8(ascii: ",") {
            guard let height = IIIFSize.side(text.dropFirst()) else { return nil }
            self = .height(height)
        } else {
            let sides = IIIFNumber.list(text.dropFirst(isWithin ? 1 : 0), count: 2, number: IIIFSize.side)
            guard let sides else { return nil }
            self =
                isWithin ? .within(width: sides[0], height: sides[1]) : .exact(width: sides[0], height: sides[1])
        }
    }

    private static func side(_ text: ArraySlice<UInt8>) -> Int? {
        IIIFNumber.integer(text).flatMap { $0 > 0 ? $0 : nil }
    }
}

/// Parses the numbers of IIIF requests: digits and at most one period; no sign, exponent or space.
///
/// Source: IIIF Image API 3.0, sections 4.1 to 4.3.
enum IIIFNumber {
    /// The largest accepted integer, 2^31-1. The product of two fits 64 bits.
    static let maximum = Int(Int32.max)

    /// The integer that stands for 1 in the results of ``decimal(_:)``.
    static let unit = 1_000_000

    /// Parses an integer. Returns nil for other characters and above ``maximum``.
    static func integer(_ text: some Collection<UInt8>) -> Int? {
        Int(digits: text).flatMap { $0 <= maximum ? $0 : nil }
    }

    /// Parses a decimal number in millionths. Decimals after the sixth are checked and ignored.
    ///
    /// Returns nil for anything but digits with at most one period before a digit, and above 1,000,000.
    static func decimal(_ text: some Collection<UInt8>) -> Int? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, text.count <= 40 else { return nil }
        guard parts.count == 2 else { return integer(first).flatMap(millionths) }
        guard let whole = first.isEmpty ? 0 : integer(first), let base = millionths(whole), !parts[1].isEmpty else {
            return nil
        }
        var weight = unit
        var fraction = 0
        for byte in parts[1] {
            guard let digit = Int(digits: CollectionOfOne(byte)) else { return nil }
            weight /= 10
            fraction += digit * weight
        }
        return base + fraction
    }

    private static func millionths(_ whole: Int) -> Int? { whole <= 1_000_000 ? whole * unit : nil }

    /// Parses exactly `count` numbers separated by commas.
    static func list(_ text: some Collection<UInt8>, count: Int, number: (ArraySlice<UInt8>) -> Int?) -> [Int]? {
        let parts = Array(text).split(separator: UInt8(ascii: ","), maxSplits: count, omittingEmptySubsequences: false)
        guard parts.count == count else { return nil }
        let values = parts.compactMap(number)
        return values.count == count ? values : nil
    }
}
