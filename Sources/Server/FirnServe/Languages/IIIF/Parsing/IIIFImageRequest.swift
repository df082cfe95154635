import FirnData
import FirnImage

/// A request for an image: the parsed parts of its URI, not yet applied to an image.
///
/// Steps are applied in the order region, size, mirroring, rotation, quality, format.
struct IIIFImageRequest: Equatable, Sendable {
    let region: IIIFRegion
    let size: IIIFSize
    let rotation: IIIFRotation
    let quality: IIIFQuality
    let format: IIIFFormat

    /// Parses `{region}/{size}/{rotation}/{quality}.{format}`, whose parts are percent-decoded once.
    ///
    /// - Throws: ``ServeError`` with status 400 that names the part, or 404 for another number of parts.
    init(segments: some Collection<ArraySlice<UInt8>>) throws(ServeError) {
        let parts = segments.compactMap { PercentEncoding.strictlyDecoded($0) }
        guard parts.count == segments.count else {
            throw ServeError(400, "path: '%' must be followed by two hexadecimal digits")
        }
        guard parts.count == 4 else {
            throw ServeError(404, "path: expected {region}/{size}/{rotation}/{quality}.{format}")
        }
        region = try IIIFRegion(parts[0])
        size = try IIIFSize(parts[1])
        rotation = try IIIFRotation(parts[2])
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
/// Source: IIIF Image API 3.0, section 4.5. AVIF is an extension under the name of its file extension.
enum IIIFFormat: String, CaseIterable, Sendable {
    case jpg, png, tif, gif, webp, avif

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
struct IIIFRegion: Equatable, Sendable {
    enum Form: Equatable, Sendable {
        case full
        /// A centered square with the length of the shorter side.
        case square
        /// A rectangle in pixels of the upright image.
        case pixels(x: Int, y: Int, width: Int, height: Int)
        /// A rectangle in millionths of a percent of the image's sides.
        case percent(x: Int, y: Int, width: Int, height: Int)
    }

    let form: Form
    /// The decoded part, for messages.
    let text: [UInt8]

    /// Reads the decoded part.
    ///
    /// - Throws: ``ServeError`` with status 400 for any other form.
    init(_ text: [UInt8]) throws(ServeError) {
        guard let form = Self.form(text) else {
            throw .invalid("region", text, "expected full, square, x,y,w,h or pct:x,y,w,h")
        }
        self.form = form
        self.text = text
    }

    private static func form(_ text: [UInt8]) -> Form? {
        let prefix = "pct:".utf8
        if text.elementsEqual("full".utf8) { return .full }
        if text.elementsEqual("square".utf8) { return .square }
        if text.starts(with: prefix) {
            return IIIFNumber.list(text.dropFirst(prefix.count), count: 4) { IIIFNumber.decimal($0) }
                .map { .percent(x: $0[0], y: $0[1], width: $0[2], height: $0[3]) }
        }
        return IIIFNumber.list(text, count: 4) { IIIFNumber.integer($0) }
            .map { .pixels(x: $0[0], y: $0[1], width: $0[2], height: $0[3]) }
    }
}

/// The size to which the region is scaled.
///
/// Source: IIIF Image API 3.0, section 4.2.
struct IIIFSize: Equatable, Sendable {
    /// The forms of a size, without the `^`.
    enum Form: Equatable, Sendable {
        /// `max`: the size of the region, or the largest size within the limits.
        case max
        /// `w,`: this width, in pixels; the height follows the ratio.
        case width(Int)
        /// `,h`: this height, in pixels; the width follows the ratio.
        case height(Int)
        /// `pct:n`: a share of the region, in millionths of a percent.
        case percent(Int)
        /// `w,h`: exactly this size, in pixels; may distort.
        case exact(width: Int, height: Int)
        /// `!w,h`: the largest size of the region's ratio within this box, in pixels.
        case within(width: Int, height: Int)
    }

    let form: Form
    /// True if `^` allows to enlarge the region.
    let allowsUpscaling: Bool
    /// The decoded part, for messages.
    let text: [UInt8]

    /// Reads the decoded part.
    ///
    /// - Throws: ``ServeError`` with status 400 for any other form, and for a width, height or percentage of 0.
    init(_ text: [UInt8]) throws(ServeError) {
        let allowsUpscaling = text.first == UInt8(ascii: "^")
        guard let form = Self.form(text.dropFirst(allowsUpscaling ? 1 : 0)) else {
            throw .invalid("size", text, "expected max, w, ,h pct:n w,h or !w,h of numbers above 0, with or without ^")
        }
        self.form = form
        self.allowsUpscaling = allowsUpscaling
        self.text = text
    }

    private static func form(_ text: ArraySlice<UInt8>) -> Form? {
        let prefix = "pct:".utf8
        if text.elementsEqual("max".utf8) { return .max }
        if text.starts(with: prefix) {
            return IIIFNumber.decimal(text.dropFirst(prefix.count)).flatMap { $0 > 0 ? .percent($0) : nil }
        }
        if text.first == UInt8(ascii: "!") {
            return IIIFNumber.list(text.dropFirst(), count: 2, number: side).map {
                .within(width: $0[0], height: $0[1])
            }
        }
        if text.last == UInt8(ascii: ",") { return side(text.dropLast()).map { .width($0) } }
        if text.first == UInt8(ascii: ",") { return side(text.dropFirst()).map { .height($0) } }
        return IIIFNumber.list(text, count: 2, number: side).map { .exact(width: $0[0], height: $0[1]) }
    }

    private static func side(_ text: ArraySlice<UInt8>) -> Int? {
        IIIFNumber.integer(text).flatMap { $0 > 0 ? $0 : nil }
    }
}

/// Mirroring about the vertical axis, then a clockwise rotation.
///
/// Source: IIIF Image API 3.0, section 4.3.
struct IIIFRotation: Equatable, Sendable {
    /// True if the image is mirrored horizontally before the rotation.
    let isMirrored: Bool
    /// The clockwise angle in millionths of a degree, 0 to 360,000,000.
    let millionths: Int
    /// The decoded part, for messages.
    let text: [UInt8]

    /// The clockwise rotation in steps of 90 degrees, 0 to 3; `nil` for other angles. 360 degrees are 0.
    var quarterTurns: Int? {
        let quarter = 90 * IIIFNumber.unit
        return millionths.isMultiple(of: quarter) ? millionths / quarter % 4 : nil
    }

    /// Reads the decoded part.
    ///
    /// - Throws: ``ServeError`` with status 400 for anything but `n` and `!n` with n from 0 to 360.
    init(_ text: [UInt8]) throws(ServeError) {
        let isMirrored = text.first == UInt8(ascii: "!")
        let angle = IIIFNumber.decimal(text.dropFirst(isMirrored ? 1 : 0))
        guard let angle, angle <= 360 * IIIFNumber.unit else {
            throw .invalid("rotation", text, "expected n or !n with n from 0 to 360")
        }
        self.isMirrored = isMirrored
        self.millionths = angle
        self.text = text
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
