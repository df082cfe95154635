extension Bitmap {
    /// Returns the average color of the image, weighted by alpha, and the average alpha.
    ///
    /// - Returns: `nil` if every pixel is transparent, or there is no memory.
    /// - Complexity: O(pixels).
    public func averageColor() -> SRGBColor? {
        guard let average = PlaceholderPixels(self, light: .linear)?.average, average.w > 0 else { return nil }
        func byte(_ light: Double) -> UInt8 { UInt8((LinearLight.encode(min(max(light, 0), 1)) * 255).rounded()) }
        return SRGBColor(
            red: byte(average.x), green: byte(average.y), blue: byte(average.z),
            alpha: UInt8((average.w * 255).rounded()))
    }

    /// Returns the most frequent color of the image, opaque.
    ///
    /// Counts pixels in cells of the color cube, 16 steps per component. Neighboring cells count half, so that a color
    /// at the border of two cells is found. The result is the mean of the cell with the highest count.
    ///
    /// - Returns: `nil` if every pixel is transparent, or there is no memory.
    /// - Complexity: O(pixels).
    public func dominantColor() -> SRGBColor? {
        guard let pixels = PlaceholderPixels(self, light: .encoded) else { return nil }
        var cells = [PlaceholderPixels.Value](repeating: .init(), count: 4096)
        for value in pixels.values where value.w > 0 {
            var color = value
            color.w = 1
            cells[Self.cell(value)] += color * value.w
        }
        var best: (cell: Int, score: Double) = (0, 0)
        for cell in cells.indices {
            let score = cells[cell].w + Self.neighbors(of: cell).reduce(0) { $0 + cells[$1].w } / 2
            // The first cell wins a tie, so that the result is deterministic.
            if cells[cell].w > 0, score > best.score { best = (cell, score) }
        }
        guard best.score > 0 else { return nil }
        let sum = Self.neighbors(of: best.cell).reduce(cells[best.cell]) { $0 + cells[$1] / 2 }
        let color = sum / sum.w
        func byte(_ value: Double) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }
        return SRGBColor(red: byte(color.x), green: byte(color.y), blue: byte(color.z))
    }

    private static func cell(_ color: PlaceholderPixels.Value) -> Int {
        func step(_ value: Double) -> Int { min(15, Int(value * 16)) }
        return step(color.x) << 8 | step(color.y) << 4 | step(color.z)
    }

    /// Returns the cells that share a side with `cell`.
    private static func neighbors(of cell: Int) -> [Int] {
        [8, 4, 0].flatMap { shift -> [Int] in
            let step = cell >> shift & 15
            return (step > 0 ? [cell - (1 << shift)] : []) + (step < 15 ? [cell + (1 << shift)] : [])
        }
    }
}
