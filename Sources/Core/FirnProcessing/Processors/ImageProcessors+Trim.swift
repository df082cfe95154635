extension ImageProcessors {
    /// Trims a border of one color.
    ///
    /// Transparent pixels count as magenta (`#FF00FF`). An image of nothing but border stays whole.
    package struct Trim: ImageProcessor, Hashable {
        /// The maximum difference of a component from the border's, in 8-bit levels.
        package let tolerance: Double
        /// The color of the border, ignoring its alpha; `nil` for the color of the upper left pixel.
        package let color: SRGBColor?
        /// True to trim left and right equally, by the smaller amount.
        package let equalHorizontal: Bool
        /// True to trim top and bottom equally, by the smaller amount.
        package let equalVertical: Bool
        /// True if single pixels and one-pixel lines end the border.
        package let keepsLines: Bool

        package init(
            tolerance: Double = 10, color: SRGBColor? = nil, equalHorizontal: Bool = false,
            equalVertical: Bool = false, keepsLines: Bool = false
        ) {
            self.tolerance = tolerance
            self.color = color.map { SRGBColor(red: $0.red, green: $0.green, blue: $0.blue) }
            self.equalHorizontal = equalHorizontal
            self.equalVertical = equalVertical
            self.keepsLines = keepsLines
        }

        package var usesSRGB: Bool { color != nil }

        /// The identifier with all parameters, like `firn/trim?t=10,#FFFFFF,h,v,l` or `firn/trim?t=10`.
        package var identifier: String {
            var parts = ["t=\(ProcessorName.number(tolerance))"]
            if let color { parts.append("\(color)") }
            if equalHorizontal { parts.append("h") }
            if equalVertical { parts.append("v") }
            if keepsLines { parts.append("l") }
            return "firn/trim?" + parts.joined(separator: ",")
        }

        /// Returns the part of the image within the border.
        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            try run.require(tolerance, 0...255, "the tolerance")
            let bytes = image.format == .rgb8 ? image : try image.converted(to: .bgra8Premultiplied)
            let found = try bytes.withRows { rows in
                var search = BorderSearch(rows, color: color, tolerance: tolerance, keepsLines: keepsLines)
                return try search.content(run)
            }
            guard let (columns, rows) = found else { return image }
            let area = PixelArea(
                columns: equalHorizontal ? equal(columns, image.size.width) : columns,
                rows: equalVertical ? equal(rows, image.size.height) : rows)
            return try image.cropped(to: area, run)
        }

        /// Returns the smallest range that contains `range` and has equal distance to both ends of 0..<`length`.
        private func equal(_ range: Range<Int>, _ length: Int) -> Range<Int> {
            let margin = min(range.lowerBound, length - range.upperBound)
            return margin..<length - margin
        }
    }
}
