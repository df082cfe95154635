/// The part of the image that is returned.
///
/// Source: IIIF Image API 3.0, section 4.1.
package struct IIIFRegion: Equatable, Sendable {
    package enum Form: Equatable, Sendable {
        case full
        /// A centered square with the length of the shorter side.
        case square
        /// A rectangle in pixels of the upright image.
        case pixels(x: Int, y: Int, width: Int, height: Int)
        /// A rectangle in millionths of a percent of the image's sides.
        case percent(x: Int, y: Int, width: Int, height: Int)
    }

    package let form: Form
    /// The decoded part, for messages.
    let text: [UInt8]

    /// Reads the decoded part.
    ///
    /// - Throws: ``ServeError`` with status 400 for any other form.
    package init(_ text: [UInt8]) throws(ServeError) {
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
