/// The file format of the result. Order of the cases: order in `info.json`.
///
/// Source: IIIF Image API 3.0, section 4.5. AVIF is an extension under the name of its file extension.
package enum IIIFFormat: String, CaseIterable, Sendable {
    case jpg, png, tif, gif, webp, avif

    /// Reads the decoded part.
    ///
    /// - Throws: ``ServeError`` with status 400 for a format that no configuration of the server writes.
    package init(_ text: [UInt8]) throws(ServeError) {
        guard let value = Self.allCases.first(where: { text.elementsEqual($0.rawValue.utf8) }) else {
            throw .invalid(.format, text, "unknown format; jpg and png are always available")
        }
        self = value
    }

    /// The media type of the response.
    package var mediaType: String {
        switch self {
        case .jpg: "image/jpeg"
        case .png: "image/png"
        case .tif: "image/tiff"
        case .gif: "image/gif"
        case .webp: "image/webp"
        case .avif: "image/avif"
        }
    }
}
