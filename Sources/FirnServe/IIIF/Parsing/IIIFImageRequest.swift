import FirnData

/// A request for an image: the parts of its URI, read but not yet applied to an image.
///
/// Steps are applied in the order region, size, mirroring, rotation, quality, format.
package struct IIIFImageRequest: Equatable, Sendable {
    package let region: IIIFRegion
    package let size: IIIFSize
    package let rotation: IIIFRotation
    package let quality: IIIFQuality
    package let format: IIIFFormat

    /// Reads `{region}/{size}/{rotation}/{quality}.{format}`, each part percent-decoded once.
    ///
    /// - Throws: ``ServeError`` with status 400 that names the part, or 404 for another number of parts.
    package init(parameters: String) throws(ServeError) {
        try self.init(
            segments: Array(parameters.utf8).split(
                separator: UInt8(ascii: "/"), maxSplits: 4, omittingEmptySubsequences: false))
    }

    /// Reads the four segments behind the identifier.
    init(segments: some Collection<ArraySlice<UInt8>>) throws(ServeError) {
        var parts: [[UInt8]] = []
        for segment in segments {
            guard let part = PercentEncoding.strictlyDecoded(segment) else {
                throw ServeError(400, "path: '%' must be followed by two hexadecimal digits")
            }
            parts.append(part)
        }
        guard parts.count == 4 else {
            throw ServeError(404, "path: expected {region}/{size}/{rotation}/{quality}.{format}")
        }
        region = try IIIFRegion(parts[0])
        size = try IIIFSize(parts[1])
        rotation = try IIIFRotation(parts[2])
        guard let period = parts[3].lastIndex(of: UInt8(ascii: ".")) else {
            throw .invalid(.format, parts[3], "expected {quality}.{format}")
        }
        quality = try IIIFQuality(Array(parts[3][..<period]))
        format = try IIIFFormat(Array(parts[3][(period + 1)...]))
    }
}
