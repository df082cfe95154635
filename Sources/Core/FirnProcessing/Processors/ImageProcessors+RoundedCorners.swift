extension ImageProcessors {
    /// Rounds the corners of an image to quarter circles, with antialiasing.
    package struct RoundedCorners: ImageProcessor, Hashable {
        /// The radii of the corners: top left, top right, bottom left, bottom right.
        let radii: [Double]
        /// A line along the inside of the edge.
        package let border: ImageProcessingOptions.Border?

        /// Creates a processor that rounds all corners.
        package init(
            radius: Double, unit: ImageProcessingOptions.Unit = .pixels, border: ImageProcessingOptions.Border? = nil
        ) {
            self.init(
                topLeft: radius, topRight: radius, bottomLeft: radius, bottomRight: radius, unit: unit, border: border)
        }

        /// Creates a processor that rounds each corner with its own radius.
        package init(
            topLeft: Double = 0, topRight: Double = 0, bottomLeft: Double = 0, bottomRight: Double = 0,
            unit: ImageProcessingOptions.Unit = .pixels, border: ImageProcessingOptions.Border? = nil
        ) {
            radii = [topLeft, topRight, bottomLeft, bottomRight].map(unit.pixels)
            self.border = border
        }

        /// The identifier with all parameters, like `firn/rounded?r=12` or `firn/rounded?r=12/12/0/0,b=#FFFFFF/2`.
        package var identifier: String {
            let names = radii.map { ProcessorName.number($0) }
            let text = Set(names).count == 1 ? names[0] : names.joined(separator: "/")
            return "firn/rounded?r=\(text)" + (border.map { ",b=\($0.name)" } ?? "")
        }

        /// Returns the image with round corners. The result has alpha.
        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            try image.cut(radii, border: border, run)
        }
    }

    /// Cuts the largest circle out of the middle of an image, with antialiasing. The result is square.
    package struct Circle: ImageProcessor, Hashable {
        /// A line along the inside of the edge.
        package let border: ImageProcessingOptions.Border?

        package init(border: ImageProcessingOptions.Border? = nil) { self.border = border }

        /// The identifier: `firn/circle`, or `firn/circle?b=#FFFFFF/2` with a border.
        package var identifier: String { "firn/circle" + (border.map { "?b=\($0.name)" } ?? "") }

        /// Returns the circle. The result has alpha.
        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            let side = min(image.size.width, image.size.height)
            return try image.cut(
                Array(repeating: Double(side) / 2, count: 4), border: border,
                part: PixelArea(
                    x: (image.size.width - side) / 2, y: (image.size.height - side) / 2, size: PixelSize(side)), run)
        }
    }
}
