/// The size to which the region is scaled.
///
/// Source: IIIF Image API 3.0, section 4.2.
package struct IIIFSize: Equatable, Sendable {
    /// The forms of a size, without the `^`.
    package enum Form: Equatable, Sendable {
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

    package let form: Form
    /// True if `^` allows to enlarge the region.
    package let allowsUpscaling: Bool
    /// The decoded part, for messages.
    let text: [UInt8]

    /// Reads the decoded part.
    ///
    /// - Throws: ``ServeError`` with status 400 for any other form, and for a width, height or percentage of 0.
    package init(_ text: [UInt8]) throws(ServeError) {
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
