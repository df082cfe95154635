/// Writes `info.json`.
///
/// Source: IIIF Image API 3.0, section 5.
package struct IIIFInformation: Sendable {
    /// The address of the image, as the client asked for it.
    package let uri: String
    /// The size of the upright image and what the server offers.
    package let geometry: IIIFGeometry

    package init(uri: String, geometry: IIIFGeometry) {
        self.uri = uri
        self.geometry = geometry
    }

    /// The side of a tile in pixels: the configured one, or less if the limits ask for it.
    package var tileSide: Int {
        let limits = geometry.settings.limits
        let area = Int(exactly: Double(limits.area).squareRoot().rounded(.down)) ?? 1
        return max(1, min(max(16, geometry.settings.tileSide), limits.width, limits.height, max(1, area)))
    }

    /// 1, 2, 4 and so on, up to the factor at which the image fits one tile.
    package var scaleFactors: [Int] {
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
    package var sizes: [IIIFPixelSize] {
        scaleFactors.reversed()
            .map { factor in
                IIIFPixelSize(
                    width: (geometry.image.width + factor - 1) / factor,
                    height: (geometry.image.height + factor - 1) / factor)
            }
            .filter { geometry.settings.limits.allow($0) }
    }

    /// The document.
    package var json: String {
        let limits = geometry.settings.limits
        var members = [
            ("@context", JSONText.quoted(IIIFHeaders.context)),
            ("id", JSONText.quoted(uri)),
            ("type", JSONText.quoted("ImageService3")),
            ("protocol", JSONText.quoted("http://iiif.io/api/image")),
            ("profile", JSONText.quoted("level2")),
            ("width", String(geometry.image.width)),
            ("height", String(geometry.image.height)),
        ]
        // The specification allows maxHeight only next to maxWidth.
        if limits.limitsSides { members.append(("maxWidth", String(limits.width))) }
        if limits.maxHeight != nil { members.append(("maxHeight", String(limits.height))) }
        if limits.maxArea != nil { members.append(("maxArea", String(limits.area))) }
        members += [
            ("sizes", JSONText.array(sizes.map { "{\"width\":\($0.width),\"height\":\($0.height)}" })),
            ("tiles", JSONText.array([tiles])),
            ("extraQualities", JSONText.array(["\"bitonal\""])),
            ("extraFormats", JSONText.array(extraFormats)),
            ("extraFeatures", JSONText.array(extraFeatures)),
        ]
        return JSONText.object(members)
    }

    private var tiles: String {
        JSONText.object([
            ("width", String(tileSide)), ("height", String(tileSide)),
            ("scaleFactors", JSONText.array(scaleFactors.map { String($0) })),
        ])
    }

    private var extraFormats: [String] {
        IIIFFormat.allCases
            .filter { geometry.settings.formats.contains($0) && $0 != .jpg && $0 != .png }
            .map { JSONText.quoted($0.rawValue) }
    }

    private var extraFeatures: [String] {
        let features = ["canonicalLinkHeader", "mirroring", "profileLinkHeader"]
        let upscaling = geometry.settings.limits.supportsUpscaling ? ["sizeUpscaling"] : []
        return (features + upscaling).map(JSONText.quoted)
    }
}
