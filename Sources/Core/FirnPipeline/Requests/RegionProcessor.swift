import FirnProcessing
import FirnSync

/// Crops a region out of an image that shows more, and converts it to the size and layout that a decode would return.
struct RegionProcessor: ImageProcessing {
    let region: ImageRegion
    /// The exact size; `nil` for all pixels that the image has of the region.
    let target: TargetSize?
    let format: PixelFormat

    var identifier: String {
        "firn/region?\(region),\(target?.keyText ?? ""),\(format)"
    }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        try target?.check()
        let whole = container.originalSize ?? container.image.size
        let shown = container.area ?? PixelArea(whole)
        guard let area = region.resolved(in: whole), shown.contains(area) else {
            throw ImageError(
                .request, at: .processing, "region: the region \(region) lies outside of the image of \(whole) pixels")
        }
        var container = container
        container.image = try container.image.cut(
            area, of: shown, to: size(of: area, in: container), cancellation: context.cancellation)
        container.image = try container.image.preferring(format)
        container.gainMap = nil
        container.originalSize = whole
        container.area = area
        return container
    }

    /// The exact size; `nil` for all pixels that the image has of the region, if it is one of pixels.
    private func size(of area: PixelArea, in container: ImageContainer) -> PixelSize? {
        guard let target else { return container.vectorSize == nil ? nil : area.size }
        return target.resolved(for: container.extent.part(area.size))
    }
}

extension PixelArea {
    /// Returns whether all of `other` is inside. Both lie in an image.
    func contains(_ other: PixelArea) -> Bool {
        x <= other.x && y <= other.y && other.x - x <= size.width - other.size.width
            && other.y - y <= size.height - other.size.height
    }
}

extension Bitmap {
    /// Returns the image in a layout. An opaque layout is a preference that an image with transparency cannot meet.
    func preferring(_ format: PixelFormat) throws -> Bitmap {
        try converted(to: format.hasAlpha || isOpaque ? format : .bgra8Premultiplied)
    }

    /// Returns a part of the image, which shows the area `shown` of a larger one at any scale.
    ///
    /// - Parameters:
    ///   - area: the part, in the units of `shown`, which contains it.
    ///   - size: the size of the result; `nil` for the pixels that the image has of the part.
    func cut(
        _ area: PixelArea, of shown: PixelArea, to size: PixelSize?, cancellation: CancellationFlag? = nil
    ) throws -> Bitmap {
        let across = Double(self.size.width) / Double(shown.size.width)
        let down = Double(self.size.height) / Double(shown.size.height)
        let size =
            size
            ?? PixelSize(
                width: max(1, Int(saturating: (Double(area.size.width) * across).rounded())),
                height: max(1, Int(saturating: (Double(area.size.height) * down).rounded())))
        return try resized(
            columns: Bitmap.span(area.x - shown.x, area.size.width, scale: across, side: self.size.width),
            rows: Bitmap.span(area.y - shown.y, area.size.height, scale: down, side: self.size.height), to: size,
            cancellation: cancellation)
    }

    /// Returns the pixels `start..<start + count` at another scale, in an image of `side` pixels.
    static func span(_ start: Int, _ count: Int, scale: Double, side: Int) -> Range<Double> {
        let first = min(Double(start) * scale, Double(side))
        // Rounding must not leave the image.
        return first..<max(first, min(Double(start + count) * scale, Double(side)))
    }
}
