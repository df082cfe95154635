import FirnData
import FirnImage

/// A request for an image: the parts of its URI, read but not yet applied to an image.
///
/// Steps are applied in the order region, size, mirroring, rotation, quality, format.
package struct IIIFImageRequest: Equatable, Sendable {
    package let region: IIIFRegion
    package let size: IIIFSize
    package let rotation: IIIFRotation
    package let quality: IIIFQuality
    package let format: IIIFFormat

    /// Reads the parts of `{region}/{size}/{rotation}/{quality}.{format}`, each percent-decoded once.
    ///
    /// - Throws: ``ServeError`` with status 400 that names the part, or 404 for another number of parts.
    package init(segments: some Collection<ArraySlice<UInt8>>) throws(ServeError) {
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
        quality = try IIIFQuality(Array(parts[3][..<period]))
        format = try IIIFFormat(Array(parts[3][(period + 1)...]))
    }
}

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
            throw .invalid("format", text, "unknown format; jpg and png are always available")
        }
        self = value
    }

    package var mediaType: String { ImageFormat(ending: rawValue).mediaType ?? "application/octet-stream" }
}

/// The colors of the result.
///
/// Source: IIIF Image API 3.0, section 4.4.
package enum IIIFQuality: String, CaseIterable, Sendable {
    /// The server's choice, which is ``color``.
    case `default`
    case color
    case gray
    case bitonal

    /// Reads the decoded part.
    ///
    /// - Throws: ``ServeError`` with status 400 for any other word.
    package init(_ text: [UInt8]) throws(ServeError) {
        guard let value = Self.allCases.first(where: { text.elementsEqual($0.rawValue.utf8) }) else {
            throw .invalid("quality", text, "expected default, color, gray or bitonal")
        }
        self = value
    }

    /// The quality that canonical URIs name: ``default`` for ``color``, since both give the same result.
    var canonical: IIIFQuality { self == .color ? .default : self }
}
