extension ImageProcessors {
    /// Crops an image.
    package struct Crop: ImageProcessor, Hashable {
        enum Part: Hashable {
            case rectangle(x: Int, y: Int, PixelSize)
            case anchored(PixelSize, ImageProcessingOptions.Anchor)
        }

        let part: Part

        /// Creates a processor that keeps the part of a rectangle that lies in the image.
        package init(x: Int, y: Int, width: Int, height: Int) {
            part = .rectangle(x: x, y: y, PixelSize(width: width, height: height))
        }

        /// Creates a processor that keeps `size` of the image. A shorter side of the image stays whole.
        package init(
            size: PixelSize, unit: ImageProcessingOptions.Unit = .pixels,
            anchor: ImageProcessingOptions.Anchor = .center
        ) {
            part = .anchored(unit.wholePixels(size), anchor)
        }

        /// The identifier with all parameters, like `firn/crop?s=400x300,x=10,y=20` or `firn/crop?s=400x300,a=top`.
        package var identifier: String {
            switch part {
            case .rectangle(let x, let y, let size): "firn/crop?s=\(size),x=\(x),y=\(y)"
            case .anchored(let size, let anchor): "firn/crop?s=\(size),a=\(anchor.rawValue)"
            }
        }

        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            try image.cropped(to: area(of: image, run), run)
        }

        package func processed(_ map: GainMap, of image: Bitmap, _ run: ProcessingRun) throws -> GainMap? {
            try map.cropped(to: area(of: image, run), of: image.size, run)
        }

        /// Returns the part to keep of an image.
        private func area(of image: Bitmap, _ run: ProcessingRun) throws -> PixelArea {
            var area = try area(in: image.size, run)
            if !isFixed { (area.x, area.y) = try AttentionMap(image, run).start(of: area.size, in: image.size) }
            return area
        }

        /// True if the size alone determines the part to keep.
        var isFixed: Bool { if case .anchored(_, .attention) = part { false } else { true } }

        /// Returns the part to keep of an image of `size`, independent of its content.
        func area(in size: PixelSize, _ run: ProcessingRun) throws -> PixelArea {
            let area: PixelArea?
            switch part {
            case .rectangle(let x, let y, let wanted):
                area = ImageRegion.pixels(x: x, y: y, width: wanted.width, height: wanted.height).resolved(in: size)
            case .anchored(let wanted, let anchor):
                let kept = PixelSize(
                    width: max(0, min(wanted.width, size.width)), height: max(0, min(wanted.height, size.height)))
                let (left, top) = anchor.start(of: kept, in: size)
                area = PixelArea(x: left, y: top, size: kept)
            }
            guard let area, !area.isEmpty else {
                throw ImageError(
                    .image, at: .processing, "\(run.name): an image of \(size) pixels has nothing of the part wanted")
            }
            return area
        }
    }

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

extension Bitmap {
    /// Returns a copy of a part of the image, or the image itself if the part covers all of it.
    ///
    /// - Parameter region: the part. Pixels outside of the image are left out.
    /// - Throws: ``/FirnImage/ImageError`` if the region has no pixel in the image, or if there is no memory.
    public func cropped(to region: ImageRegion) throws(ImageError) -> Bitmap {
        let area = region.resolved(in: size) ?? PixelArea(0)
        return try applyingBlocking([.crop(x: area.x, y: area.y, width: area.size.width, height: area.size.height)])
    }

    /// Returns a copy of a part of the image, or the image itself if the part covers all of it. The part must lie
    /// inside the image.
    func cropped(to area: PixelArea, _ run: ProcessingRun) throws -> Bitmap {
        let part = area.size
        if part == size { return self }
        guard area.lies(in: size) else { throw ImageError.unusable(part) }
        let step = format.bytesPerPixel
        return try run.make(from: self, size: part, format: format, isOpaque: isOpaque) { source, target in
            try run.stripes(part.height, pixels: part.width) { stripe in
                for y in stripe {
                    target.row(y).copyMemory(
                        from: source.row(area.y + y) + area.x * step, byteCount: part.width * step)
                }
            }
        }
    }
}
