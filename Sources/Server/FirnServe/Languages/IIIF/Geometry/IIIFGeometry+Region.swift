package import FirnImage

extension IIIFGeometry {
    /// Returns a region in pixels, cut at the edges of the image.
    ///
    /// Percentages are rounded at both edges, so that regions with a common edge neither overlap nor leave a gap. A
    /// percentage above 0 gives at least one pixel.
    /// - Throws: ``ServeError`` with status 400 for an empty region and one that is outside the image.
    package func rectangle(of region: IIIFRegion) throws(ServeError) -> PixelArea {
        switch region.form {
        case .full:
            return PixelArea(image)
        case .square:
            let side = min(image.width, image.height)
            return PixelArea(
                x: (image.width - side) / 2, y: (image.height - side) / 2, size: PixelSize(side))
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
