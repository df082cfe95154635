extension IIIFGeometry {
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
