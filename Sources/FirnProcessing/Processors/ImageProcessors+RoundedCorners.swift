public import FirnImage

extension ImageProcessors {
    /// Rounds the corners of an image to circles' quarters, smoothly.
    public struct RoundedCorners: ImageProcessing, Hashable {
        let corners: RoundedShape.Corners
        /// A line along the inside of the edge.
        public let border: ImageProcessingOptions.Border?

        /// Rounds all corners.
        ///
        /// - Parameter radius: where it is more than half of the shorter side, that half.
        public init(
            radius: Double, unit: ImageProcessingOptions.Unit = .pixels, border: ImageProcessingOptions.Border? = nil
        ) {
            self.init(
                topLeft: radius, topRight: radius, bottomLeft: radius, bottomRight: radius, unit: unit, border: border)
        }

        /// Rounds each corner by a radius of its own; 0 leaves it. Where two would meet, all are made smaller alike.
        public init(
            topLeft: Double = 0, topRight: Double = 0, bottomLeft: Double = 0, bottomRight: Double = 0,
            unit: ImageProcessingOptions.Unit = .pixels, border: ImageProcessingOptions.Border? = nil
        ) {
            corners = RoundedShape.Corners(
                topLeft: unit.pixels(topLeft), topRight: unit.pixels(topRight), bottomLeft: unit.pixels(bottomLeft),
                bottomRight: unit.pixels(bottomRight))
            self.border = border
        }

        /// All parameters, like `firn/rounded?r=12` or `firn/rounded?r=12/12/0/0,b=#FFFFFF/2`; the corners are top left,
        /// top right, bottom left, bottom right.
        public var identifier: String {
            let radii = corners.all.map { ProcessorName.number($0) }
            let text = Set(radii).count == 1 ? radii[0] : radii.joined(separator: "/")
            return "firn/rounded?r=\(text)" + (border.map { ",b=\($0.name)" } ?? "")
        }

        /// The image with round corners. It has an alpha afterwards.
        ///
        /// - Throws: ``/FirnImage/ImageProcessingError`` if a radius or width is no number from 0 up; ``/FirnImage/BitmapError``;
        ///   `CancellationError`.
        public func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer { try change(container, context) }
    }

    /// Cuts the largest circle out of the middle of an image, smoothly: the result is square.
    public struct Circle: ImageProcessing, Hashable {
        /// A line along the inside of the edge.
        public let border: ImageProcessingOptions.Border?

        /// Cuts circles.
        public init(border: ImageProcessingOptions.Border? = nil) { self.border = border }

        /// `firn/circle`, or `firn/circle?b=#FFFFFF/2` with a border.
        public var identifier: String { "firn/circle" + (border.map { "?b=\($0.name)" } ?? "") }

        /// The circle. It has an alpha afterwards.
        ///
        /// - Throws: ``/FirnImage/ImageProcessingError`` if the border's width is no number from 0 up; ``/FirnImage/BitmapError``;
        ///   `CancellationError`.
        public func process(
            _ container: ImageContainer, context: ImageProcessingContext
        ) throws -> ImageContainer { try change(container, context) }
    }
}

extension ImageProcessors.RoundedCorners: ImageProcessor {
    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        try image.cut(corners, border: border, run)
    }
}

extension ImageProcessors.Circle: ImageProcessor {
    func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
        let side = min(image.size.width, image.size.height)
        let radius = Double(side) / 2
        return try image.cut(
            RoundedShape.Corners(topLeft: radius, topRight: radius, bottomLeft: radius, bottomRight: radius),
            border: border, size: PixelSize(width: side, height: side), left: (image.size.width - side) / 2,
            top: (image.size.height - side) / 2, run)
    }
}
