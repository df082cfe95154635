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
