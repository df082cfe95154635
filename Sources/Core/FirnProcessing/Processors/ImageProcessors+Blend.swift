package import FirnImage

extension ImageProcessors {
    /// Blends an image with one color.
    package struct Blend: ImageProcessor, Hashable {
        /// The color of the upper image.
        package let color: SRGBColor
        /// The blend mode.
        package let mode: ImageProcessingOptions.BlendMode

        /// Creates a processor that blends images with `color`. Default mode: draws the color over them, with its
        /// alpha.
        package init(color: SRGBColor, mode: ImageProcessingOptions.BlendMode = .sourceOver) {
            self.color = color
            self.mode = mode
        }

        /// The identifier, like `firn/blend?#FF000080,sourceOver`.
        package var identifier: String { "firn/blend?\(color),\(mode.rawValue)" }

        /// Returns the blended image.
        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            let format = image.format == .rgb8 ? .bgra8Premultiplied : image.format
            let pixel = color.pixel(for: format)
            let isOpaque = color.alpha == 255
            // A single row, which is used for every row of the image.
            let row = try Bitmap(
                size: PixelSize(width: image.size.width, height: 1), format: format, isOpaque: isOpaque
            ) { pixels in
                PixelWord.fill(pixels.row(0), with: pixel, count: pixels.size.width)
            }
            return try image.blended(
                row, left: 0, top: 0, mode, opacity: 1, covers: isOpaque, isOneRow: true, run)
        }
    }
}
