package import FirnImage

/// Applies requests to an image of known size.
///
/// Source: IIIF Image API 3.0, sections 4.1 to 4.7.
package struct IIIFGeometry: Sendable {
    /// The size of the upright image, that is, after its orientation is applied.
    package let image: PixelSize
    /// The image and its exact ratio, if it is a drawing.
    let extent: ImageExtent
    package let settings: IIIFSettings

    /// Creates the geometry of an upright image. Sides outside 1 to 2^31-1 are clamped.
    ///
    /// - Parameter vector: the exact size of a drawing.
    package init(width: Int, height: Int, vector: VectorSize? = nil, settings: IIIFSettings) {
        image = PixelSize(width: max(1, width), height: max(1, height)).cut(to: PixelSize(IIIFNumber.maximum))
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
            throw .invalid("rotation", request.rotation.text, "only multiples of 90 are offered")
        }
        guard settings.formats.contains(request.format) else {
            throw .invalid("format", request.format.rawValue.utf8, "not enabled on this server")
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

/// The steps of a request for an image of known size. They are applied in the order of the properties.
package struct IIIFPlan: Equatable, Sendable {
    /// The part of the upright image that is returned.
    package let region: PixelArea
    /// The size to which the region is scaled, before the rotation.
    package let size: PixelSize
    /// True if left and right are exchanged before the rotation.
    package let isMirrored: Bool
    /// The clockwise rotation in steps of 90 degrees, 0 to 3.
    package let quarterTurns: Int
    package let quality: IIIFQuality
    package let format: IIIFFormat
    /// The canonical parameters, such as `0,0,512,512/256,256/0/default.jpg`. Equal for requests with equal results.
    package let canonical: String
}

package struct IIIFSettings: Equatable, Sendable {
    /// The largest results, and whether regions may be enlarged.
    package var limits = IIIFLimits()
    /// The formats that are written. Level 2 needs JPEG and PNG. Default: these two.
    package var formats: Set<IIIFFormat> = [.jpg, .png]
    /// The side of a tile in `info.json`, in pixels; values below 16 count as 16. Default: 512.
    package var tileSide = 512

    /// The limits of its sources, which are decoded in parts. Default: 2,000 megapixels, 16 GiB.
    package var sources = ImageLimits()
    /// The least pixels of an image whose tiles are kept in the cache folder, if its format must be decoded from the
    /// start; 0 for none. Default: 17 megapixels.
    package var tiledPixels = 1 << 24
    /// The bytes of tiles in the cache folder. Default: 8 GiB.
    package var tileBytes = 8 << 30

    package init() {
        sources.maximumPixels = 2_000_000_000
        sources.maximumBytes = 16 << 30
    }
}
