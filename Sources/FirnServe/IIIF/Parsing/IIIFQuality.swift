/// The colors of the result.
///
/// Source: IIIF Image API 3.0, section 4.4.
package enum IIIFQuality: String, CaseIterable, Sendable {
    /// The server's choice, which is ``color``.
    case `default`
    /// All colors of the image.
    case color
    /// Shades of gray.
    case gray
    /// Black and white.
    case bitonal

    /// Reads the decoded part.
    ///
    /// - Throws: ``ServeError`` with status 400 for any other word.
    package init(_ text: [UInt8]) throws(ServeError) {
        guard let value = Self.allCases.first(where: { text.elementsEqual($0.rawValue.utf8) }) else {
            throw .invalid(.quality, text, "expected default, color, gray or bitonal")
        }
        self = value
    }

    /// The quality that canonical URIs name: ``default`` for ``color``, since both give the same result.
    var canonical: IIIFQuality { self == .color ? .default : self }
}
