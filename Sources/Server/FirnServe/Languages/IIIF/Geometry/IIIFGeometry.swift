/// Applies requests to an image of known size.
///
/// Source: IIIF Image API 2.1 and 3.0, sections 4.1 to 4.7.
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
    /// - Throws: ``ServeError`` with status 400 for a region outside the image, a size beyond the region or the limits
    ///   (404 beyond the limits in 2.1) and a rotation by other angles than multiples of 90.
    func plan(for request: IIIFImageRequest) throws(ServeError) -> IIIFPlan {
        let region = try rectangle(of: request)
        let size = try size(of: request, region.size)
        guard let turns = request.quarterTurns else {
            throw .invalid("rotation", request.rotationText, "only multiples of 90 are offered")
        }
        let quality = request.quality.canonical
        let rest = "\(request.isMirrored ? "!" : "")\(turns * 90)/\(quality.rawValue).\(request.format.rawValue)"
        return IIIFPlan(
            region: region, size: size, isMirrored: request.isMirrored, quarterTurns: turns,
            quality: quality, format: request.format,
            canonical: "\(canonical(region))/\(canonical(size, of: region.size, request.version))/\(rest)",
            key: "iiif/\(pixels(region))/\(size.width),\(size.height)/\(rest)")
    }

    /// Returns a region in pixels, cut at the edges of the image.
    ///
    /// Percentages are rounded at both edges, so that regions with a common edge neither overlap nor leave a gap. A
    /// percentage above 0 gives at least one pixel.
    /// - Throws: ``ServeError`` with status 400 for an empty region and one that is outside the image.
    func rectangle(of request: IIIFImageRequest) throws(ServeError) -> PixelArea {
        let text = request.regionText
        switch request.region {
        case .full:
            return PixelArea(image)
        case .square:
            let side = min(image.width, image.height)
            return PixelArea(x: (image.width - side) / 2, y: (image.height - side) / 2, size: PixelSize(side))
        case .pixels(let x, let y, let width, let height):
            guard width > 0, height > 0 else { throw .invalid("region", text, "empty") }
            guard x < image.width, y < image.height else { throw .invalid("region", text, outside) }
            return PixelArea(
                x: x, y: y, size: PixelSize(width: min(width, image.width - x), height: min(height, image.height - y)))
        case .percent(let x, let y, let width, let height):
            guard width > 0, height > 0 else { throw .invalid("region", text, "empty") }
            guard x < Self.whole, y < Self.whole else { throw .invalid("region", text, outside) }
            let columns = Self.span(x, width, of: image.width)
            let rows = Self.span(y, height, of: image.height)
            return PixelArea(
                x: columns.lowerBound, y: rows.lowerBound, size: PixelSize(width: columns.count, height: rows.count))
        }
    }

    /// Returns `full` for the whole image, otherwise `x,y,w,h`.
    func canonical(_ region: PixelArea) -> String { region.size == image ? "full" : pixels(region) }

    private func pixels(_ region: PixelArea) -> String {
        "\(region.x),\(region.y),\(region.size.width),\(region.size.height)"
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

    /// Returns the size to which a region is scaled.
    ///
    /// Sides are rounded half up. A side that follows the ratio has at least one pixel.
    ///
    /// In 3.0, `!w,h` without `^` is refused if the box is larger than the region in both directions. The specification
    /// would allow returning the region; iiif-validator and other servers expect the error.
    /// - Throws: ``ServeError`` with status 400 beyond the region or the limits; 404 beyond the limits in 2.1.
    func size(of request: IIIFImageRequest, _ region: PixelSize) throws(ServeError) -> PixelSize {
        let (enlarges, text) = (request.allowsUpscaling, request.sizeText)
        guard enlarges || !exceeds(request.size, region) else {
            throw .invalid(
                "size", text, "larger than the region of \(region.width)x\(region.height) pixels; '^' enlarges")
        }
        switch request.size {
        // `^max` is not enlarged, as the test `size_up` of iiif-validator 1.0.5 expects.
        case .max: return maximum(of: region)
        case .within(let width, let height):
            let box = PixelSize(width: width, height: height)
            return limited(region, in: enlarges ? box : box.cut(to: region))
        case .exact(let width, let height): return try checked(width, height, request)
        case .width(let width): return try checked(width, height(for: width, of: region), request)
        case .height(let height):
            let width = other(
                height, region.width, over: region.height, extent.transposed.part(region.transposed).vector)
            return try checked(width, height, request)
        case .percent(let share):
            let width = PixelSize.scaled(region.width, share, over: Self.whole)
            let height = PixelSize.scaled(region.height, share, over: Self.whole)
            guard width != 0 || height != 0 else { throw .invalid("size", text, "less than one pixel") }
            return try checked(width.map { max(1, $0) }, height.map { max(1, $0) }, request)
        }
    }

    /// Returns the size for `max`: the size of the region, or the largest size of its ratio within the limits.
    func maximum(of region: PixelSize) -> PixelSize { limited(region, in: region) }

    /// Returns `max`, `w,h` or `^w,h`; in 2.1 `full`, `w,` if it means the same height, or `w,h`.
    func canonical(_ size: PixelSize, of region: PixelSize, _ version: IIIFVersion) -> String {
        let sides = "\(size.width),\(size.height)"
        switch version {
        case .two:
            if size == region { return "full" }
            return height(for: size.width, of: region) == size.height ? "\(size.width)," : sides
        case .three:
            if size == maximum(of: region) { return "max" }
            return size.width > region.width || size.height > region.height ? "^" + sides : sides
        }
    }

    private func limited(_ region: PixelSize, in box: PixelSize) -> PixelSize {
        let box = box.cut(to: PixelSize(settings.side))
        let part = extent.part(region)
        // The size of a drawing is rounded, so its ratio is not exact.
        let fitted =
            part.vector == nil || box == region
            ? region.fitted(in: box) : TargetSize(box).resolved(for: part)
        return fitted.reduced(toArea: settings.area)
    }

    private func height(for width: Int, of region: PixelSize) -> Int? {
        other(width, region.height, over: region.width, extent.part(region).vector)
    }

    /// Returns the other side for a side of `length` pixels in the ratio of a region, at least 1; `nil` if it is too
    /// long.
    ///
    /// - Parameter exact: the exact size of a drawing, oriented so that the result is its height.
    private func other(_ length: Int, _ side: Int, over own: Int, _ exact: VectorSize?) -> Int? {
        guard let exact else { return PixelSize.scaled(side, length, over: own).map { max(1, $0) } }
        let result = max(1, (Double(length) * exact.height / exact.width).rounded())
        return result <= Double(IIIFNumber.maximum) ? Int(exactly: result) : nil
    }

    private func exceeds(_ form: IIIFSize, _ region: PixelSize) -> Bool {
        switch form {
        case .max: false
        case .width(let width): width > region.width
        case .height(let height): height > region.height
        case .percent(let share): share > Self.whole
        case .exact(let width, let height): width > region.width || height > region.height
        case .within(let width, let height): width > region.width && height > region.height
        }
    }

    private func checked(
        _ width: Int?, _ height: Int?, _ request: IIIFImageRequest
    ) throws(ServeError) -> PixelSize {
        if let width, let height {
            let result = PixelSize(width: width, height: height)
            if settings.allow(result) { return result }
        }
        // Section 7.2 of 2.1 asks for 404.
        throw .invalid(
            "size", request.sizeText, "beyond this server's limits; 'max' gives the largest size",
            status: request.version == .two ? 404 : 400)
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
    /// The canonical parameters, such as `0,0,512,512/256,256/0/default.jpg`. Equal for requests of one version with
    /// equal results.
    let canonical: String
    /// The key that requests with equal results share, in all versions. Names pixels, so no limit changes its result.
    let key: String

    /// The end of the canonical address, after the identifier. `^` is percent-encoded.
    var canonicalPath: String { "/" + canonical.replacing("^", with: "%5E") }

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
    /// The maximum width and height of a result, in pixels. Default: 16,384.
    var side = 16_384
    /// The maximum product of width and height of a result, in pixels. Default: 50 megapixels.
    var area = 50_000_000
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

    /// Returns whether a result of this size is within all limits.
    func allow(_ size: PixelSize) -> Bool { size.width <= side && size.height <= side && size.area <= area }
}

extension PixelSize {
    /// Returns the smaller of both widths and the smaller of both heights.
    func cut(to other: PixelSize) -> PixelSize {
        PixelSize(width: min(width, other.width), height: min(height, other.height))
    }

    // The arithmetic of sizes. Sides are from 1 to 2^31-1, so products of two sides fit.

    /// Returns the largest size of this ratio in a box, enlarged if needed. A side that the ratio rounds to 0 is 1.
    func fitted(in box: PixelSize) -> PixelSize {
        if width * box.height <= height * box.width {
            let side = Self.scaled(width, box.height, over: height) ?? 1
            return PixelSize(width: min(box.width, max(1, side)), height: box.height)
        }
        let side = Self.scaled(height, box.width, over: width) ?? 1
        return PixelSize(width: box.width, height: min(box.height, max(1, side)))
    }

    /// Returns the largest size of this ratio, not above this size, whose area is at most `area`.
    func reduced(toArea area: Int) -> PixelSize {
        guard width * height > area else { return self }
        let scale = (Double(area) / (Double(width) * Double(height))).squareRoot()
        let columns = max(1, min(width, Self.whole(Double(width) * scale)))
        let rows = max(1, min(height, Self.whole(Double(height) * scale), area / columns))
        return PixelSize(width: min(columns, max(1, area / rows)), height: rows)
    }

    /// Returns `value * numerator / denominator`, rounded half up; nil if it does not fit 64 bits.
    static func scaled(_ value: Int, _ numerator: Int, over denominator: Int) -> Int? {
        let (product, tooLarge) = value.multipliedReportingOverflow(by: numerator)
        let (sum, overflow) = product.addingReportingOverflow(denominator / 2)
        return tooLarge || overflow || denominator < 1 ? nil : sum / denominator
    }

    private static func whole(_ value: Double) -> Int { Int(exactly: value.rounded(.down)) ?? 1 }
}
