import FirnProcessing

/// Applies requests to an image of known size.
///
/// Source: IIIF Image API 3.0, sections 4.1 to 4.7.
struct IIIFGeometry: Sendable {
    /// The size of the upright image, that is, after its orientation is applied.
    let image: PixelSize
    /// The image and its exact ratio, if it is a drawing.
    let extent: ImageExtent
    let settings: IIIFSettings

    /// Creates the geometry of an upright image. Sides outside 1 to 2^31-1 are clamped.
    ///
    /// - Parameter vector: the exact size of a drawing.
    init(width: Int, height: Int, vector: VectorSize? = nil, settings: IIIFSettings) {
        image = PixelSize(width: max(1, width), height: max(1, height)).cut(to: PixelSize(IIIFNumber.maximum))
        extent = ImageExtent(image, vector: vector)
        self.settings = settings
    }

    /// Returns the steps of a request for this image.
    ///
    /// - Throws: ``ServeError`` with status 400 for a region outside the image, a size beyond the region or the
    ///   limits, a rotation by other angles than multiples of 90 and a format that is not enabled; 501 for `^` if
    ///   enlarging is not offered.
    func plan(for request: IIIFImageRequest) throws(ServeError) -> IIIFPlan {
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

/// The steps of a request for an image of known size, applied in the order of the properties.
struct IIIFPlan: Equatable, Sendable {
    /// The part of the upright image that is returned.
    let region: PixelArea
    /// The size to which the region is scaled, before the rotation.
    let size: PixelSize
    /// True if the image is mirrored horizontally before the rotation.
    let isMirrored: Bool
    /// The clockwise rotation in steps of 90 degrees, 0 to 3.
    let quarterTurns: Int
    let quality: IIIFQuality
    let format: IIIFFormat
    /// The canonical parameters, such as `0,0,512,512/256,256/0/default.jpg`. Equal for requests with equal results.
    let canonical: String

    /// The key that requests with equal results share.
    var key: String { "iiif/" + canonical }

    /// The plan for the service.
    var rendering: RenderPlan {
        var result = RenderPlan(decodedSize: size, format: ImageFormat(ending: format.rawValue))
        result.region = ImageRegion(region)
        var steps: [any ImageProcessing] = [ImageProcessors.Resize(exactly: size, upscale: true)]
        if isMirrored { steps.append(ImageProcessors.Flip(.horizontal)) }
        if let turn = ImageProcessors.Rotate.Turn(rawValue: quarterTurns * 90) {
            steps.append(ImageProcessors.Rotate(turn))
        }
        switch quality {
        case .default, .color: break
        case .gray: steps.append(ImageProcessors.ColorMatrix.grayscale())
        case .bitonal:
            // Order: flattening after the threshold would blend to gray pixels.
            steps.append(ImageProcessors.Flatten())
            steps.append(ImageProcessors.ColorMatrix.grayscale())
            // Weights are at most 8. Applied three times, each level becomes black or white.
            for _ in 0..<3 { steps.append(ImageProcessors.ColorMatrix.contrast(7.9)) }
        }
        if format == .jpg { steps.append(ImageProcessors.Flatten()) }
        result.processors = steps
        result.quality = 0.85
        return result
    }
}

struct IIIFSettings: Equatable, Sendable {
    /// The limits of results.
    var limits = IIIFLimits()
    /// The enabled formats. Level 2 requires JPEG and PNG. Default: these two.
    var formats: Set<IIIFFormat> = [.jpg, .png]
    /// The side of a tile in `info.json`, in pixels; values below 16 count as 16. Default: 512.
    var tileSide = 512

    /// The limits of sources, which are decoded in parts. Default: 2,000 megapixels, 16 GiB.
    var sources = ImageLimits()
    /// The minimum number of pixels of an image whose tiles are stored in the cache folder, if its format can be
    /// decoded only from the start; 0 for none. Default: 17 megapixels.
    var tiledPixels = 1 << 24
    /// The maximum size of tiles in the cache folder, in bytes. Default: 8 GiB.
    var tileBytes = 8 << 30

    init() {
        sources.maximumPixels = 2_000_000_000
        sources.maximumBytes = 16 << 30
    }
}

/// The limits of results, as `info.json` declares them. Values below 1 count as 1.
///
/// Source: IIIF Image API 3.0, section 5.3 (`maxWidth`, `maxHeight`, `maxArea`).
struct IIIFLimits: Equatable, Sendable {
    /// The maximum width of a scaled region, in pixels; `nil` (the default) for no limit.
    var maxWidth: Int?
    /// The maximum height, in pixels. If one of `maxWidth` and `maxHeight` is `nil` (the default), the other limits
    /// both sides.
    var maxHeight: Int?
    /// The maximum product of width and height, in pixels; `nil` (the default) for no limit.
    var maxArea: Int?
    /// True if `^` may enlarge a region. No effect without a limit. Default: false.
    var allowsUpscaling = false
    /// True if `^max` enlarges a region up to the limits, as the specification says. If false, `^max` equals `max`, as
    /// the test `size_up` of iiif-validator 1.0.5 expects. Default: true.
    var enlargesMaximum = true

    /// True if `^` is supported. A server that enlarges must declare a limit.
    var supportsUpscaling: Bool { allowsUpscaling && (limitsSides || maxArea != nil) }

    /// True if `info.json` declares `maxWidth`.
    var limitsSides: Bool { maxWidth != nil || maxHeight != nil }

    /// The effective maximum width, in pixels.
    var width: Int { Self.side(maxWidth ?? maxHeight) }

    /// The effective maximum height, in pixels.
    var height: Int { Self.side(maxHeight ?? maxWidth) }

    /// The effective maximum area, in pixels.
    var area: Int { max(1, maxArea ?? Int.max) }

    /// Returns whether a result of this size is within all limits.
    func allow(_ size: PixelSize) -> Bool { size.width <= width && size.height <= height && size.area <= area }

    /// Clamps a side to 2^31-1, so that products of two sides fit 64 bits.
    private static func side(_ limit: Int?) -> Int { min(max(1, limit ?? IIIFNumber.maximum), IIIFNumber.maximum) }
}

extension IIIFGeometry {
    /// Returns a region in pixels, cut at the edges of the image.
    ///
    /// Percentages are rounded at both edges, so that regions with a common edge neither overlap nor leave a gap. A
    /// percentage above 0 gives at least one pixel.
    /// - Throws: ``ServeError`` with status 400 for an empty region and one that is outside the image.
    func rectangle(of region: IIIFRegion) throws(ServeError) -> PixelArea {
        switch region.form {
        case .full:
            return PixelArea(image)
        case .square:
            let side = min(image.width, image.height)
            return PixelArea(x: (image.width - side) / 2, y: (image.height - side) / 2, size: PixelSize(side))
        case .pixels(let x, let y, let width, let height):
            guard width > 0, height > 0 else { throw .invalid("region", region.text, "empty") }
            guard x < image.width, y < image.height else { throw .invalid("region", region.text, outside) }
            return PixelArea(
                x: x, y: y, size: PixelSize(width: min(width, image.width - x), height: min(height, image.height - y)))
        case .percent(let x, let y, let width, let height):
            guard width > 0, height > 0 else { throw .invalid("region", region.text, "empty") }
            guard x < Self.whole, y < Self.whole else { throw .invalid("region", region.text, outside) }
            let columns = Self.span(x, width, of: image.width)
            let rows = Self.span(y, height, of: image.height)
            return PixelArea(
                x: columns.lowerBound, y: rows.lowerBound, size: PixelSize(width: columns.count, height: rows.count))
        }
    }

    /// Returns `full` for the whole image, otherwise `x,y,w,h`.
    func canonical(_ region: PixelArea) -> String {
        region.size == image ? "full" : "\(region.x),\(region.y),\(region.size.width),\(region.size.height)"
    }

    /// 100 percent in millionths of a percent.
    static var whole: Int { 100 * IIIFNumber.unit }

    private var outside: String { "outside the image of \(image.width)x\(image.height) pixels" }

    /// Returns the pixels from `start` to `start + length` of a side; `start` is below 100 percent.
    private static func span(_ start: Int, _ length: Int, of side: Int) -> Range<Int> {
        let first = min(side - 1, PixelSize.scaled(side, start, over: whole) ?? 0)
        let end = PixelSize.scaled(side, min(start + length, whole), over: whole) ?? side
        return first..<max(first + 1, min(side, end))
    }
}
