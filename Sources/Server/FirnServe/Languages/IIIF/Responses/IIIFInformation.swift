import FirnReport

/// Writes `info.json`.
///
/// Source: IIIF Image API 2.1 and 3.0, section 5.
struct IIIFInformation: Sendable {
    /// The address of the image as the client spelled it.
    let uri: String
    /// The size of the upright image, and the limits of the server.
    let geometry: IIIFGeometry
    let version: IIIFVersion

    /// The side of a tile in pixels: 512, or less if the limits require it.
    var tileSide: Int {
        let area = Int(exactly: Double(geometry.settings.area).squareRoot().rounded(.down)) ?? 1
        return max(1, min(512, geometry.settings.side, area))
    }

    /// 1, 2, 4 and so on, up to the factor at which the image fits one tile.
    var scaleFactors: [Int] {
        let longest = max(geometry.image.width, geometry.image.height)
        var factors = [1]
        var factor = 1
        while (longest + factor - 1) / factor > tileSide {
            factor *= 2
            factors.append(factor)
        }
        return factors
    }

    /// The size of the whole image at each scale factor, smallest first, without those beyond the limits.
    var sizes: [PixelSize] {
        scaleFactors.reversed().map { geometry.image.divided(by: $0) }.filter { geometry.settings.allow($0) }
    }

    var json: String { (version == .two ? second : third).text }

    /// The document of 2.1. Lists all formats and qualities, because some clients do not add those of the level.
    private var second: JSONValue {
        let features: JSONValue = [
            "formats": IIIFFormat.allCases.map(\.rawValue), "qualities": IIIFQuality.allCases.map(\.rawValue),
            "maxWidth": geometry.settings.side, "maxHeight": geometry.settings.side,
            "maxArea": geometry.settings.area,
            "supports": ["canonicalLinkHeader", "mirroring", "profileLinkHeader", "regionSquare", "sizeAboveFull"],
        ]
        return [
            "@context": version.context, "@id": uri, "protocol": "http://iiif.io/api/image",
            "width": geometry.image.width, "height": geometry.image.height, "sizes": listedSizes, "tiles": [tiles],
            "profile": [.string(version.profile), features],
        ]
    }

    /// The document of 3.0.
    private var third: JSONValue {
        let formats = IIIFFormat.allCases.filter { $0 != .jpg && $0 != .png }
        return [
            "@context": version.context, "id": uri, "type": "ImageService3",
            "protocol": "http://iiif.io/api/image", "profile": "level2", "width": geometry.image.width,
            "height": geometry.image.height,
            "maxWidth": geometry.settings.side, "maxHeight": geometry.settings.side,
            "maxArea": geometry.settings.area, "sizes": listedSizes, "tiles": [tiles],
            "extraQualities": ["bitonal"], "extraFormats": formats.map(\.rawValue),
            "extraFeatures": ["canonicalLinkHeader", "mirroring", "profileLinkHeader", "sizeUpscaling"],
        ]
    }

    private var listedSizes: [JSONValue] { sizes.map { ["width": $0.width, "height": $0.height] } }

    private var tiles: JSONValue { ["width": tileSide, "height": tileSide, "scaleFactors": scaleFactors] }
}
