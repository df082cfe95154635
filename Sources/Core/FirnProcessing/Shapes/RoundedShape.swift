/// A rectangle with round corners, in pixels: computes the coverage of each pixel.
///
/// 16 lines cross each row of pixels, and the part of each line inside the shape is exact. A pixel's coverage is the
/// mean over these lines: at most 1/32 off the true area, and usually much less.
struct RoundedShape {
    private let width: Double
    private let height: Double
    private let corners: SIMD4<Double>
    /// The distance of the shape's edge from the rectangle's edge, in pixels.
    private let inset: Double
    private static let lines = 16

    /// - Parameter corners: the radii of the corners: top left, top right, bottom left, bottom right. All radii shrink
    ///   by the same factor if two corners would overlap (CSS Backgrounds 3 §5.5).
    init(width: Int, height: Int, corners: SIMD4<Double>, inset: Double = 0) {
        self.width = Double(width)
        self.height = Double(height)
        self.inset = inset
        var scale = 1.0
        for (sum, side) in [
            (corners.x + corners.y, self.width), (corners.z + corners.w, self.width),
            (corners.x + corners.z, self.height), (corners.y + corners.w, self.height),
        ] where sum > side { scale = min(scale, side / sum) }
        self.corners = pointwiseMax(corners * scale - inset, .zero)
    }

    /// Writes the coverage of row `y` into `shares`, one value for each column outside the returned range. Columns in
    /// that range are fully covered.
    func cover(_ y: Int, into shares: UnsafeMutablePointer<Float>) -> Range<Int> {
        let columns = Int(width)
        var starts = (least: width, most: 0.0)
        var ends = (least: width, most: 0.0)
        var spans: [(start: Double, end: Double)] = []
        spans.reserveCapacity(RoundedShape.lines)
        for line in 0..<RoundedShape.lines {
            let place = Double(y) + (Double(line) + 0.5) / Double(RoundedShape.lines)
            guard let span = span(at: place) else {
                starts.most = width
                ends.least = 0
                continue
            }
            spans.append(span)
            starts = (min(starts.least, span.start), max(starts.most, span.start))
            ends = (min(ends.least, span.end), max(ends.most, span.end))
        }
        let first = min(columns, Int(starts.most.rounded(.up)))
        let solid = first..<max(first, Int(ends.least.rounded(.down)))
        func share(_ x: Int) -> Float {
            var sum = 0.0
            for span in spans {
                sum += max(0, min(Double(x + 1), span.end) - max(Double(x), span.start))
            }
            return Float(sum / Double(RoundedShape.lines))
        }
        for x in 0..<solid.lowerBound { shares[x] = Double(x + 1) <= starts.least ? 0 : share(x) }
        for x in solid.upperBound..<columns { shares[x] = Double(x) >= ends.most ? 0 : share(x) }
        return solid
    }

    /// Returns the points where the line at `y` enters and leaves the shape.
    private func span(at y: Double) -> (start: Double, end: Double)? {
        guard y > inset, y < height - inset else { return nil }
        let (top, bottom) = (y - inset, height - inset - y)
        let left = max(recess(top, corners.x), recess(bottom, corners.z))
        let right = max(recess(top, corners.y), recess(bottom, corners.w))
        let (start, end) = (inset + left, width - inset - right)
        return start < end ? (start, end) : nil
    }

    /// Returns the distance of a corner's arc from the side, at `distance` from the edge.
    private func recess(_ distance: Double, _ radius: Double) -> Double {
        guard distance < radius else { return 0 }
        let rest = radius - distance
        return radius - (radius * radius - rest * rest).squareRoot()
    }
}
