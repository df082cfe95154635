/// A rectangle of an image, in pixels or in fractions of its sides.
///
/// Refers to the upright image, after orientation, at its full size. In a decode without the orientation
/// (``DecodingOptions/appliesOrientation``), it refers to the stored image.
///
/// Can hold any numbers, because regions come from URLs and users. ``pixels(in:)`` clamps them to an image.
public struct ImageRegion: Hashable, Sendable, CustomStringConvertible {
    private enum Place: Hashable {
        case pixels(x: Int, y: Int, width: Int, height: Int)
        case fractions(x: Double, y: Double, width: Double, height: Double)
    }

    private let place: Place

    /// Returns a region in pixels: `width` columns from column `x` on, `height` rows from row `y` on.
    public static func pixels(x: Int, y: Int, width: Int, height: Int) -> ImageRegion {
        ImageRegion(place: .pixels(x: x, y: y, width: width, height: height))
    }

    /// Returns a region in fractions of the sides: 0 is the left or top edge, 1 the right or bottom edge.
    ///
    /// NaN counts as 0.
    public static func fractions(x: Double, y: Double, width: Double, height: Double) -> ImageRegion {
        // NaN is not equal to itself, so a key with it would never be found. Adding 0 turns -0 into 0, which prints the
        // same.
        func number(_ value: Double) -> Double { value.isNaN ? 0 : value + 0 }
        return ImageRegion(
            place: .fractions(x: number(x), y: number(y), width: number(width), height: number(height)))
    }

    /// Returns a region of pixels that covers `area`.
    package init(_ area: PixelArea) {
        self.init(place: .pixels(x: area.x, y: area.y, width: area.size.width, height: area.size.height))
    }

    private init(place: Place) { self.place = place }

    /// Returns the first column and row of the region in an image of `size` pixels, and its size, clamped to the image.
    ///
    /// - Returns: `nil` if no pixel is left: the region is empty, or outside of the image.
    public func pixels(in size: PixelSize) -> (x: Int, y: Int, size: PixelSize)? {
        resolved(in: size).map { ($0.x, $0.y, $0.size) }
    }

    /// Returns the pixels of the region in an image of `size` pixels, clamped to the image.
    ///
    /// The edges of fractions are rounded to the nearest pixel, so that adjacent regions neither overlap nor leave a
    /// gap. A region that is narrower than a pixel becomes one pixel wide.
    ///
    /// - Returns: `nil` if no pixel is left: the region is empty, or outside of the image.
    package func resolved(in size: PixelSize) -> PixelArea? {
        guard !size.isEmpty else { return nil }
        let columns: Range<Int>?
        let rows: Range<Int>?
        switch place {
        case .pixels(let x, let y, let width, let height):
            columns = ImageRegion.clamped(x, width, to: size.width)
            rows = ImageRegion.clamped(y, height, to: size.height)
        case .fractions(let x, let y, let width, let height):
            columns = ImageRegion.rounded(x, width, of: size.width)
            rows = ImageRegion.rounded(y, height, of: size.height)
        }
        guard let columns, let rows else { return nil }
        return PixelArea(columns: columns, rows: rows)
    }

    /// Returns the part of `start..<start + length` within `0..<side`; `nil` if they do not overlap.
    private static func clamped(_ start: Int, _ length: Int, to side: Int) -> Range<Int>? {
        guard length > 0, start < side else { return nil }
        let (sum, overflow) = start.addingReportingOverflow(length)
        let end = min(overflow ? Int.max : sum, side)
        let first = max(start, 0)
        return first < end ? first..<end : nil
    }

    private static func rounded(_ start: Double, _ length: Double, of side: Int) -> Range<Int>? {
        let first = min(max(start, 0), 1)
        let last = min(max(start + length, 0), 1)
        // Infinities of both signs add up to NaN, which this rejects, too.
        guard length > 0, first < last else { return nil }
        let from = min(pixel(first, of: side), side - 1)
        return from..<max(from + 1, pixel(last, of: side))
    }

    /// Returns the pixel edge nearest to a fraction of 0...1.
    private static func pixel(_ fraction: Double, of side: Int) -> Int {
        Int(exactly: (fraction * Double(side)).rounded()).map { min($0, side) } ?? side
    }

    /// `X,Y,WIDTHxHEIGHT`, in pixels or in percent: `10,20,300x200` or `25.0%,0.0%,50.0%x50.0%`.
    public var description: String {
        switch place {
        case .pixels(let x, let y, let width, let height): "\(x),\(y),\(width)x\(height)"
        case .fractions(let x, let y, let width, let height):
            "\(x * 100)%,\(y * 100)%,\(width * 100)%x\(height * 100)%"
        }
    }
}
