/// The size of an image in pixels.
///
/// Can hold any integers, because sizes come from files. ``area`` is checked for overflow, so that a declared size can
/// be compared with a limit before memory is allocated.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible, ExpressibleByIntegerLiteral {
    /// The number of columns.
    public var width: Int
    /// The number of rows.
    public var height: Int

    /// Creates a size of `width` columns and `height` rows.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Creates a square of `side` columns and rows.
    public init(_ side: Int) { self.init(width: side, height: side) }

    /// Creates a square from a literal: `.crop(size: 200)`.
    public init(integerLiteral side: Int) { self.init(width: side, height: side) }

    /// The number of pixels; `Int.max` if the product overflows, 0 if a side is not positive.
    public var area: Int {
        guard width > 0, height > 0 else { return 0 }
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? Int.max : product
    }

    /// True if the size has no pixels.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The size with its sides exchanged.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }

    /// Returns whether both sides are at least those of `other`.
    public func covers(_ other: PixelSize) -> Bool {
        width >= other.width && height >= other.height
    }

    /// Returns the size with each side divided by a positive number, rounded up.
    package func divided(by divisor: Int) -> PixelSize {
        // This form cannot overflow.
        func side(_ length: Int) -> Int { length <= 0 ? length : (length - 1) / divisor + 1 }
        return PixelSize(width: side(width), height: side(height))
    }

    /// `WIDTHxHEIGHT`.
    public var description: String { "\(width)x\(height)" }
}

/// A rectangle of whole pixels within an image.
///
/// Can hold any integers. ``ImageRegion/resolved(in:)`` returns areas that lie in an image and are not empty.
package struct PixelArea: Hashable, Sendable, CustomStringConvertible {
    /// The first column, counted from the left edge.
    package var x: Int
    /// The first row, counted from the top edge.
    package var y: Int
    /// The number of columns and rows.
    package var size: PixelSize

    /// Creates an area of `size` whose top left pixel is in column `x` and row `y`.
    package init(x: Int, y: Int, size: PixelSize) {
        self.x = x
        self.y = y
        self.size = size
    }

    /// Creates the area of a whole image.
    package init(_ size: PixelSize) { self.init(x: 0, y: 0, size: size) }

    /// Creates the area of some columns and rows.
    package init(columns: Range<Int>, rows: Range<Int>) {
        self.init(x: columns.lowerBound, y: rows.lowerBound, size: PixelSize(width: columns.count, height: rows.count))
    }

    /// The columns of an area that lies in an image.
    package var columns: Range<Int> { x..<x + max(0, size.width) }
    /// The rows of an area that lies in an image.
    package var rows: Range<Int> { y..<y + max(0, size.height) }

    /// True if the area has no pixels.
    package var isEmpty: Bool { size.isEmpty }

    /// Returns whether the area is not empty and lies in an image of `whole` pixels.
    package func lies(in whole: PixelSize) -> Bool {
        !isEmpty && x >= 0 && y >= 0 && whole.covers(size) && x <= whole.width - size.width
            && y <= whole.height - size.height
    }

    /// `X,Y,WIDTHxHEIGHT`.
    package var description: String { "\(x),\(y),\(size)" }
}
