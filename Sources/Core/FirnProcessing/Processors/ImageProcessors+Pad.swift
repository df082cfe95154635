extension ImageProcessors {
    /// Pads an image with a background color.
    package struct Pad: ImageProcessor, Hashable {
        enum Room: Hashable {
            case edges(top: Int, left: Int, bottom: Int, right: Int)
            case size(PixelSize, ImageProcessingOptions.Anchor)
        }

        let room: Room
        package let color: SRGBColor

        /// Creates a processor that adds the given number of pixels at each edge.
        package init(top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0, color: SRGBColor = .clear) {
            room = .edges(top: top, left: left, bottom: bottom, right: right)
            self.color = color
        }

        /// Creates a processor that pads smaller images to `size`. A longer side is unchanged.
        package init(
            to size: PixelSize, anchor: ImageProcessingOptions.Anchor = .center, color: SRGBColor = .clear
        ) {
            room = .size(size, anchor)
            self.color = color
        }

        package var usesSRGB: Bool { color.alpha > 0 }

        /// The identifier with all parameters, like `firn/pad?s=400x300,a=center,#FFFFFF`.
        package var identifier: String {
            switch room {
            case .edges(let top, let left, let bottom, let right):
                "firn/pad?t=\(top),l=\(left),b=\(bottom),r=\(right),\(color)"
            case .size(let size, let anchor): "firn/pad?s=\(size),a=\(anchor.rawValue),\(color)"
            }
        }

        /// Returns the padded image, which gets an alpha channel if the background color is not opaque.
        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            let (size, left, top) = try place(of: image.size, run)
            if size == image.size { return image }
            let image = try image.converted(to: color.alpha == 255 ? image.format : image.format.withAlpha)
            let ground = color.pixel(for: image.format)
            let isOpaque = image.isOpaque && color.alpha == 255
            let (step, width, height) = (image.format.bytesPerPixel, image.size.width, image.size.height)
            return try run.make(from: image, size: size, format: image.format, isOpaque: isOpaque) { source, target in
                try run.stripes(size.height, pixels: size.width) { rows in
                    for y in rows {
                        let row = target.row(y)
                        guard y >= top, y < top + height else {
                            PixelWord.fill(row, with: ground, count: size.width)
                            continue
                        }
                        PixelWord.fill(row, with: ground, count: left)
                        (row + left * step).copyMemory(from: source.row(y - top), byteCount: width * step)
                        PixelWord.fill(row + (left + width) * step, with: ground, count: size.width - left - width)
                    }
                }
            }
        }

        private func place(of size: PixelSize, _ run: ProcessingRun) throws -> (PixelSize, left: Int, top: Int) {
            switch room {
            case .edges(let top, let left, let bottom, let right):
                // 2^30 is far from overflow. The pixel limit is much lower.
                for (length, name) in [(top, "top"), (left, "left"), (bottom, "bottom"), (right, "right")] {
                    guard (0...1 << 30).contains(length) else {
                        throw run.wrong("\(name) has to be from 0 to 2^30, not \(length)")
                    }
                }
                return (PixelSize(width: size.width + left + right, height: size.height + top + bottom), left, top)
            case .size(let wanted, let anchor):
                guard !wanted.isEmpty else { throw run.wrong("the size wanted, \(wanted), is empty") }
                let padded = PixelSize(width: max(size.width, wanted.width), height: max(size.height, wanted.height))
                let (left, top) = anchor.start(of: size, in: padded)
                return (padded, left, top)
            }
        }
    }
}
