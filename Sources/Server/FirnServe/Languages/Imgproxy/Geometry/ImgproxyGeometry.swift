/// Computes the plan of a request from the size of its source.
struct ImgproxyGeometry: Sendable {
    var options: ImgproxyOptions
    var limits = ImgproxyLimits()

    /// Returns the plan for an upright source, after EXIF orientation and `trim`.
    ///
    /// Vectors may be enlarged without `enlarge`. `format` is the format of the result.
    /// - Throws: 422 if the source is empty, or the result or an intermediate image has too many pixels.
    func plan(_ own: ImageExtent, format: ImgproxyFormat) throws(ServeError) -> ImgproxyPlan {
        let (width, height, isVector) = (own.pixels.width, own.pixels.height, own.vector != nil)
        guard (1...ImgproxyRounding.limit).contains(width), (1...ImgproxyRounding.limit).contains(height) else {
            throw ServeError(422, "source: size \(width)x\(height)")
        }
        let isTurned = options.rotation % 180 != 0
        let source = isTurned ? own.pixels.transposed : own.pixels
        let crop = sourceCrop(source)
        let upright = isTurned ? own.transposed : own
        let part = upright.part(crop?.size ?? source).sides
        var scale = ImgproxyScale(part, options, mayEnlarge: options.enlarge || isVector)
        var sizes = ImgproxySizes(part, scale, options)
        // The stated size of a drawing allocates no pixels yet, so it is drawn smaller.
        let area = Double(sizes.scaled.width) * Double(sizes.scaled.height)
        if isVector, !options.enlarge, area > Double(limits.resultPixels) {
            // A thousandth less, so that rounded-up sides stay within the limit.
            let factor = (Double(limits.resultPixels) * 0.999 / area).squareRoot()
            scale.x *= factor
            scale.y *= factor
            sizes = ImgproxySizes(part, scale, options)
        }
        var plan = plan(sizes, dpr: scale.dpr)
        let longest = max(plan.unlimited.width, plan.unlimited.height)
        if limits.resultSide > 0, longest > limits.resultSide {
            scale = scale.reduced(by: Double(limits.resultSide) / Double(longest), of: part)
            sizes = ImgproxySizes(part, scale, options)
            plan = self.plan(sizes, dpr: scale.dpr)
        }
        try check(sizes.scaled, "scaled image")
        if isTurned { plan.scaled = sizes.scaled.transposed }
        plan.crop = crop.map { untilTurned($0, in: source) }
        plan.isCropSmart = crop != nil && (options.crop?.gravity ?? options.gravity).position == .smart
        try check(plan.unlimited, "result")
        plan.result = limited(plan.unlimited, format)
        return plan
    }

    private func check(_ size: PixelSize, _ name: String) throws(ServeError) {
        guard size.area <= limits.resultPixels else {
            throw ServeError(422, "\(name): \(size.width)x\(size.height) has more than \(limits.resultPixels) pixels")
        }
    }

    /// Returns the crop in the coordinates of the turned source, or nil if it is the whole.
    private func sourceCrop(_ source: PixelSize) -> PixelArea? {
        guard let crop = options.crop else { return nil }
        let size = PixelSize(width: Self.side(crop.width, source.width), height: Self.side(crop.height, source.height))
        guard size != source else { return nil }
        let origin = (crop.gravity ?? options.gravity).origin(of: size, in: source, scale: 1)
        return PixelArea(x: origin.x, y: origin.y, size: size)
    }

    private static func side(_ crop: Double, _ source: Int) -> Int {
        guard crop > 0 else { return source }
        let pixels = crop >= 1 ? ImgproxyRounding.integer(crop) : ImgproxyRounding.side(source, crop)
        return min(max(1, pixels), source)
    }

    /// Moves a rectangle of the turned and flipped source to the source before turns.
    private func untilTurned(_ rect: PixelArea, in turned: PixelSize) -> PixelArea {
        let x = options.flipHorizontal ? turned.width - rect.x - rect.size.width : rect.x
        let y = options.flipVertical ? turned.height - rect.y - rect.size.height : rect.y
        let (right, bottom) = (turned.width - x - rect.size.width, turned.height - y - rect.size.height)
        return switch options.rotation {
        case 90: PixelArea(x: y, y: right, size: rect.size.transposed)
        case 180: PixelArea(x: right, y: bottom, size: rect.size)
        case 270: PixelArea(x: bottom, y: x, size: rect.size.transposed)
        default: PixelArea(x: x, y: y, size: rect.size)
        }
    }

    /// Returns the part of a plan that follows from the sizes after turns: crop, canvas and padding.
    private func plan(_ sizes: ImgproxySizes, dpr: Double) -> ImgproxyPlan {
        var plan = ImgproxyPlan(scaled: sizes.scaled, unlimited: sizes.scaled, result: sizes.scaled)
        plan.dpr = dpr
        var size = PixelSize(
            width: ImgproxyRounding.smallest(sizes.scaled.width, sizes.crop.width),
            height: ImgproxyRounding.smallest(sizes.scaled.height, sizes.crop.height))
        if size != sizes.scaled {
            let origin = options.gravity.origin(of: size, in: sizes.scaled, scale: dpr)
            plan.resultCrop = PixelArea(x: origin.x, y: origin.y, size: size)
            plan.isResultCropSmart = options.gravity.position == .smart
        }
        if options.extend.isEnabled {
            plan.extend = canvas(sizes.target, &size, options.extend.gravity, dpr)
        }
        if let aspect = sizes.aspect {
            plan.extendAspectRatio = canvas(aspect, &size, options.extendAspectRatio.gravity, dpr)
        }
        plan.padding = sizes.padding
        size.width += sizes.padding.left + sizes.padding.right
        size.height += sizes.padding.top + sizes.padding.bottom
        plan.unlimited = size
        return plan
    }

    private func canvas(
        _ target: PixelSize, _ size: inout PixelSize, _ gravity: ImgproxyGravity, _ dpr: Double
    ) -> PixelArea? {
        let outer = PixelSize(width: max(size.width, target.width), height: max(size.height, target.height))
        guard outer != size else { return nil }
        let origin = gravity.origin(of: size, in: outer, scale: dpr)
        size = outer
        return PixelArea(x: origin.x, y: origin.y, size: outer)
    }

    private func limited(_ size: PixelSize, _ format: ImgproxyFormat) -> PixelSize {
        guard let side = format.largestSide, max(size.width, size.height) > side else { return size }
        let factor = Double(side) / Double(max(size.width, size.height))
        func scaled(_ length: Int) -> Int { min(side, ImgproxyRounding.side(length, factor)) }
        return PixelSize(width: scaled(size.width), height: scaled(size.height))
    }
}

/// Conversions that neither overflow nor trap. Results are at most 2^30 in magnitude.
enum ImgproxyRounding {
    static let limit = 1 << 30

    /// Rounds half away from zero.
    static func round(_ value: Double) -> Int { integer(value.rounded(.toNearestOrAwayFromZero)) }

    /// Rounds half to even.
    static func even(_ value: Double) -> Int { integer(value.rounded(.toNearestOrEven)) }

    /// Scales a side that is present: at least 1, or 0 if `side` is 0.
    static func side(_ side: Int, _ scale: Double) -> Int { side <= 0 ? 0 : max(1, round(Double(side) * scale)) }

    /// Scales a side, which need not be whole: at least 1.
    static func side(_ side: Double, _ scale: Double) -> Int { max(1, round(side * scale)) }

    /// Returns the smaller of the sides that are not 0.
    static func smallest(_ one: Int, _ other: Int) -> Int { one == 0 ? other : other == 0 ? one : min(one, other) }

    static func integer(_ value: Double) -> Int {
        guard !value.isNaN else { return 0 }
        return Int(min(max(value, Double(-limit)), Double(limit)))
    }

    static func clamp(_ value: Double, _ range: ClosedRange<Double>) -> Double {
        value.isNaN ? 1 : min(max(value, range.lowerBound), range.upperBound)
    }
}

/// The geometric steps of a request, in the order of the properties.
struct ImgproxyPlan: Sendable, Equatable {
    /// The part of the upright source, before turns; nil means all. For a smart crop this is the centered part.
    var crop: PixelArea?
    /// True if the content decides where ``crop`` lies; its size stays.
    var isCropSmart = false
    /// The size after scaling, before turns.
    var scaled: PixelSize
    /// The part of the image after its rotation, and after it is flipped; nil means all.
    var resultCrop: PixelArea?
    /// True if the content decides where ``resultCrop`` lies; its size stays.
    var isResultCropSmart = false
    /// A larger area for the image, and the image's origin in it; nil means none.
    var extend: PixelArea?
    /// As ``extend``.
    var extendAspectRatio: PixelArea?
    /// Padding in pixels of the result.
    var padding = ImgproxyOptions.Padding()
    /// The size before the limit of the format.
    var unlimited: PixelSize
    /// The size of the result. If it differs from ``unlimited``, the padded image is scaled to it.
    var result: PixelSize
    /// The effective `dpr`, which also scales pixel offsets of watermarks.
    var dpr = 1.0
}
