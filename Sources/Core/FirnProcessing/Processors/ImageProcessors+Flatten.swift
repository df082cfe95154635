internal import CFirnProcessing

extension ImageProcessors {
    /// Draws an image over a background color, so that it is opaque.
    package struct Flatten: ImageProcessor, Hashable {
        /// The background color. Its alpha is ignored.
        package let background: SRGBColor

        /// Creates a processor that flattens images. Default: onto white.
        package init(background: SRGBColor = .white) {
            self.background = SRGBColor(red: background.red, green: background.green, blue: background.blue)
        }

        package var usesSRGB: Bool { true }

        /// The identifier, like `firn/flatten?#FFFFFF`.
        package var identifier: String { "firn/flatten?\(background)" }

        /// Returns the opaque image in the same layout, or `image` itself if it is opaque.
        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            if image.isOpaque { return image }
            let width = image.size.width
            let ground = background.floats(for: image.format)
            let word = background.pixel(for: .bgra8Premultiplied)
                .withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
            return try run.make(from: image, size: image.size, format: image.format, isOpaque: true) { source, target in
                try run.stripes(image.size.height, pixels: width) { rows in
                    if source.format == .bgra8Premultiplied {
                        for y in rows {
                            firn_color_flatten8(
                                word, source.row(y).assumingMemoryBound(to: UInt8.self),
                                target.row(y).assumingMemoryBound(to: UInt8.self), width)
                        }
                        return
                    }
                    FloatRow.with(4 * width) { floats in
                        for y in rows {
                            source.load(y, count: width, into: floats)
                            for x in 0..<width {
                                let rest = 1 - floats[4 * x + 3]
                                for channel in 0..<3 { floats[4 * x + channel] += ground[channel] * rest }
                                floats[4 * x + 3] = 1
                            }
                            target.store(floats, y, count: width)
                        }
                    }
                }
            }
        }
    }
}
