import FirnImage

// The arithmetic of sizes. Sides are from 1 to 2^31-1, so products of two sides fit.
extension PixelSize {
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
