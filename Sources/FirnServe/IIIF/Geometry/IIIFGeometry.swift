package import FirnImage

/// Applies requests to an image of known size.
///
/// Source: IIIF Image API 3.0, sections 4.1 to 4.7.
package struct IIIFGeometry: Sendable {
    /// The size of the upright image, that is, after its orientation is applied.
    package let image: PixelSize
    /// The image and its exact ratio, if it is a drawing.
    let extent: ImageExtent
    /// What the server offers.
    package let settings: IIIFSettings

    /// Creates the geometry of an upright image. Sides outside 1 to 2^31-1 are clamped.
    ///
    /// - Parameter vector: the exact size of a drawing.
    package init(width: Int, height: Int, vector: VectorSize? = nil, settings: IIIFSettings) {
        let sides = 1...IIIFNumber.maximum
        image = PixelSize(
            width: min(max(width, sides.lowerBound), sides.upperBound),
            height: min(max(height, sides.lowerBound), sides.upperBound))
        extent = ImageExtent(image, vector: vector)
        self.settings = settings
    }

    /// Returns what a request means for this image.
    ///
    /// - Throws: ``ServeError`` with status 400 for a region outside the image, a size beyond the region or the
    ///   limits, a rotation by other angles than multiples of 90 and a format that is not enabled; 501 for `^` if
    ///   enlarging is not offered.
    package func plan(for request: IIIFImageRequest) throws(ServeError) -> IIIFPlan {
        let region = try rectangle(of: request.region)
        let size = try size(request.size, of: region.size)
        guard let turns = request.rotation.quarterTurns else {
            throw .invalid(.rotation, request.rotation.text, "only multiples of 90 are offered")
        }
        guard settings.formats.contains(request.format) else {
            throw .invalid(.format, request.format.rawValue.utf8, "not enabled on this server")
        }
        let quality = request.quality.canonical
        let parameters = [
            canonical(region), canonical(size, of: region.size),
            (request.rotation.isMirrored ? "!" : "") + String(turns * 90),
            "\(quality.rawValue).\(request.format.rawValue)",
        ]
        return IIIFPlan(
            region: region, size: size, isMirrored: request.rotation.isMirrored, quarterTurns: turns,
            quality: quality, format: request.format, canonical: parameters.joined(separator: "/"))
    }
}
