/// Options that several processors share.
public enum ImageProcessingOptions {
    /// The unit of lengths.
    public enum Unit: Hashable, Sendable, CustomStringConvertible {
        /// Pixels of the image.
        case pixels
        /// Points of a display with `scale` pixels per point.
        case points(scale: Double)

        /// Converts `length` to pixels.
        func pixels(_ length: Double) -> Double {
            switch self {
            case .pixels: length
            case .points(let scale): length * scale
            }
        }

        /// Converts `length` to whole pixels. A length of 0 stays; returns -1, which is invalid, if the result is not a
        /// number, less than 1 or more than 2^31.
        func wholePixels(_ length: Int) -> Int {
            let pixels = pixels(Double(length)).rounded()
            return length == 0 ? 0 : pixels >= 1 && pixels <= 0x1p31 ? Int(pixels) : -1
        }

        /// Converts both sides of `size` to whole pixels; a size in pixels is unchanged.
        func wholePixels(_ size: PixelSize) -> PixelSize {
            if self == .pixels { return size }
            return PixelSize(width: wholePixels(size.width), height: wholePixels(size.height))
        }

        /// The unit's name.
        public var description: String {
            switch self {
            case .pixels: "pixels"
            case .points(let scale): "points at \(ProcessorName.number(scale))"
            }
        }
    }

    /// A line along the inside of a shape's edge.
    public struct Border: Hashable, Sendable {
        /// The line's color.
        public let color: SRGBColor
        /// The line's width, in pixels.
        public let width: Double

        /// Creates a border. Default: one pixel wide.
        public init(color: SRGBColor, width: Double = 1, unit: Unit = .pixels) {
            self.color = color
            self.width = unit.pixels(width)
        }

        var name: String { "\(color)/\(ProcessorName.number(width))" }
    }

    /// The part of an image that a crop keeps, or the position of a smaller image in a larger one.
    public enum Anchor: String, Hashable, Sendable, CaseIterable {
        /// The middle.
        case center
        /// The middle of the upper edge.
        case top
        /// The middle of the lower edge.
        case bottom
        /// The middle of the left edge.
        case left
        /// The middle of the right edge.
        case right
        /// The upper left corner.
        case topLeft
        /// The upper right corner.
        case topRight
        /// The lower left corner.
        case bottomLeft
        /// The lower right corner.
        case bottomRight
        /// The most salient part: strong edges, above all those of skin. Detects no faces. For cropping only; elsewhere
        /// it means the middle.
        case attention

        /// The share of the free width to the left of the part: 0, 1/2 or 1.
        var horizontal: Double {
            switch self {
            case .left, .topLeft, .bottomLeft: 0
            case .right, .topRight, .bottomRight: 1
            case .center, .top, .bottom, .attention: 0.5
            }
        }

        /// The share of the free height above the part: 0, 1/2 or 1.
        var vertical: Double {
            switch self {
            case .top, .topLeft, .topRight: 0
            case .bottom, .bottomLeft, .bottomRight: 1
            case .center, .left, .right, .attention: 0.5
            }
        }

        /// Returns the upper left corner of a part of size `part` in `whole`; negative where the part is longer. Halves
        /// are rounded down.
        func start(of part: PixelSize, in whole: PixelSize) -> (column: Int, row: Int) {
            func start(_ free: Int, _ share: Double) -> Int { share == 0 ? 0 : share == 1 ? free : free >> 1 }
            return (start(whole.width - part.width, horizontal), start(whole.height - part.height, vertical))
        }
    }
}

/// Formats the parts of identifiers: equal values give equal text.
package enum ProcessorName {
    /// Returns the shortest text of a number: `2`, `0.5`, `nan`. Both zeros are `0`.
    package static func number(_ value: Double) -> String {
        if value == 0 { return "0" }
        if let whole = Int(exactly: value) { return "\(whole)" }
        return "\(value)"
    }

    /// Returns the short name in an identifier: `blur` of `firn/blur?r=8`.
    static func short(_ identifier: String) -> String {
        let name = identifier.prefix { $0 != "?" }
        return String(name.hasPrefix("firn/") ? name.dropFirst(5) : name)
    }
}
