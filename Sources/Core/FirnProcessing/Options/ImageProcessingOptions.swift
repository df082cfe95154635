public import FirnImage

/// Options that several processors share.
public enum ImageProcessingOptions {
    /// The unit of lengths.
    public enum Unit: Hashable, Sendable, CustomStringConvertible {
        /// Pixels of the image.
        case pixels
        /// Points of a screen that has `scale` pixels per point.
        case points(scale: Double)

        /// Converts `length` to pixels.
        func pixels(_ length: Double) -> Double {
            switch self {
            case .pixels: length
            case .points(let scale): length * scale
            }
        }

        /// Converts `length` to whole pixels; returns 0 if the result is less than 1 or more than 2^31.
        func wholePixels(_ length: Int) -> Int {
            let pixels = pixels(Double(length)).rounded()
            return pixels >= 1 && pixels <= 0x1p31 ? Int(pixels) : 0
        }

        /// Converts both sides of `size` to whole pixels; a size in pixels stays as it is.
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
}
