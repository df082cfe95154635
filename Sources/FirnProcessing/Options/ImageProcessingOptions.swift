public import FirnImage

/// What several processors are told in the same way.
public enum ImageProcessingOptions {
    /// What lengths are counted in.
    public enum Unit: Hashable, Sendable, CustomStringConvertible {
        /// Pixels of the image.
        case pixels
        /// Points of a screen with this many pixels a point.
        case points(scale: Double)

        /// Pixels of `length`.
        func pixels(_ length: Double) -> Double {
            switch self {
            case .pixels: length
            case .points(let scale): length * scale
            }
        }

        /// Whole pixels of `length`; 0 where there is no such number.
        func wholePixels(_ length: Int) -> Int {
            let pixels = pixels(Double(length)).rounded()
            return pixels >= 1 && pixels <= 0x1p31 ? Int(pixels) : 0
        }

        /// Its name.
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

        /// A border. Default: one pixel wide.
        public init(color: SRGBColor, width: Double = 1, unit: Unit = .pixels) {
            self.color = color
            self.width = unit.pixels(width)
        }

        var name: String { "\(color)/\(ProcessorName.number(width))" }
    }
}
