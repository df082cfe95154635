extension ImageProcessors {
    /// Draws another image over an image: watermarks, badges, masks.
    ///
    /// Only pixels inside the other image's rectangle change, in any mode.
    package struct Overlay: ImageProcessor, Hashable {
        /// The position of the other image.
        enum Place: Hashable {
            /// The margin is the distance from the edges that the anchor names, in pixels.
            case anchored(ImageProcessingOptions.Anchor, margin: Int)
            case at(x: Int, y: Int)
            case tiled(horizontalGap: Int, verticalGap: Int)
        }

        /// The image drawn over.
        package let image: Bitmap
        package let id: String
        let place: Place
        package let mode: ImageProcessingOptions.BlendMode
        /// The factor that the alpha of `image` is multiplied by.
        package let opacity: Double

        package var usesSRGB: Bool { true }

        /// The identifier with all parameters, like `firn/overlay?a=bottomRight,g=8,m=sourceOver,o=0.5,logo`; instead
        /// of anchor and margin, it may have `x=8,y=20`, or `t=8x20` for the gaps of tiles.
        package var identifier: String {
            let place =
                switch place {
                case .anchored(let anchor, let margin): "a=\(anchor.rawValue),g=\(margin)"
                case .at(let x, let y): "x=\(x),y=\(y)"
                case .tiled(let horizontalGap, let verticalGap): "t=\(horizontalGap)x\(verticalGap)"
                }
            return "firn/overlay?\(place),m=\(mode.rawValue),o=\(ProcessorName.number(opacity)),\(id)"
        }

        /// Returns whether both have the same parameters and image identifiers.
        package static func == (a: Overlay, b: Overlay) -> Bool { a.identifier == b.identifier }

        package func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

        /// Returns the image with the other image drawn over it.
        package func processed(_ base: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            try run.require(opacity, 0...1, "the opacity")
            let covers = image.isOpaque && opacity == 1
            switch place {
            case .anchored(let anchor, let margin):
                try run.require(Double(margin), -0x1p30...0x1p30, "the margin")
                let (left, top) = anchor.start(of: image.size, in: base.size)
                func inset(_ start: Int, _ share: Double) -> Int {
                    share == 0 ? start + margin : share == 1 ? start - margin : start
                }
                return try base.blended(
                    image, left: inset(left, anchor.horizontal), top: inset(top, anchor.vertical), mode,
                    opacity: opacity, covers: covers, run)
            case .at(let x, let y):
                try run.require(Double(x), -0x1p30...0x1p30, "the column")
                try run.require(Double(y), -0x1p30...0x1p30, "the row")
                return try base.blended(image, left: x, top: y, mode, opacity: opacity, covers: covers, run)
            case .tiled(let horizontalGap, let verticalGap):
                try run.require(Double(horizontalGap), 0...65_535, "the horizontal gap")
                try run.require(Double(verticalGap), 0...65_535, "the vertical gap")
                return try base.blended(
                    image, columns: tiles(image.size.width, gap: horizontalGap, whole: base.size.width),
                    rows: tiles(image.size.height, gap: verticalGap, whole: base.size.height), mode, opacity: opacity,
                    covers: covers, run)
            }
        }

        /// Returns the visible parts of the copies along one side, in order.
        private func tiles(_ tile: Int, gap: Int, whole: Int) -> [BlendedPart] {
            let period = tile + gap
            // The middle copy has half of the gap on each side, with the odd pixel after it.
            var start = (whole - period + 1) >> 1 + gap / 2
            while start > gap { start -= period }
            var parts: [BlendedPart] = []
            while start < whole {
                let visible = max(0, start)..<min(whole, start + tile)
                if start + tile > 0, !visible.isEmpty { parts.append(BlendedPart(range: visible, start: start)) }
                start += period
            }
            return parts
        }
    }

    /// Blends an image with one color.
    package struct Blend: ImageProcessor, Hashable {
        /// The color of the upper image.
        package let color: SRGBColor
        package let mode: ImageProcessingOptions.BlendMode

        /// Creates a processor that blends images with `color`. Default mode: source over.
        package init(color: SRGBColor, mode: ImageProcessingOptions.BlendMode = .sourceOver) {
            self.color = color
            self.mode = mode
        }

        package var usesSRGB: Bool { true }

        /// The identifier, like `firn/blend?#FF000080,sourceOver`.
        package var identifier: String { "firn/blend?\(color),\(mode.rawValue)" }

        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            let format = image.format == .rgb8 ? .bgra8Premultiplied : image.format
            let pixel = color.pixel(for: format)
            let isOpaque = color.alpha == 255
            // A single row, used for every row of the image.
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

extension ImageProcessors.Overlay {
    /// Creates a processor that draws `image` over images. Default mode: source over.
    package init(
        _ image: Bitmap, id: String, anchor: ImageProcessingOptions.Anchor = .bottomRight, margin: Int = 0,
        mode: ImageProcessingOptions.BlendMode = .sourceOver, opacity: Double = 1
    ) {
        self.init(image: image, id: id, place: .anchored(anchor, margin: margin), mode: mode, opacity: opacity)
    }

    /// Creates a processor that draws `image` with its upper left corner at column `x` and row `y`, inside or outside.
    package init(
        _ image: Bitmap, id: String, x: Int, y: Int, mode: ImageProcessingOptions.BlendMode = .sourceOver,
        opacity: Double = 1
    ) {
        self.init(image: image, id: id, place: .at(x: x, y: y), mode: mode, opacity: opacity)
    }

    /// Creates a processor that draws copies of `image` in rows and columns. The middle copy is centered with the gaps
    /// around it.
    package init(
        tiling image: Bitmap, id: String, horizontalGap: Int = 0, verticalGap: Int = 0,
        mode: ImageProcessingOptions.BlendMode = .sourceOver, opacity: Double = 1
    ) {
        self.init(
            image: image, id: id, place: .tiled(horizontalGap: horizontalGap, verticalGap: verticalGap), mode: mode,
            opacity: opacity)
    }
}
