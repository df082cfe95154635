extension Bitmap {
    /// Returns the image resized to `size`, with both sides stretched independently. Returns the image itself, without
    /// a copy, if it already has that size.
    ///
    /// Straight colors are weighted by their alpha. Format, `isOpaque` and `colorProfile` are kept. Colors are mixed as
    /// stored, as in decoders that scale; only half floats are linear light.
    ///
    /// - Parameter cancellation: checked between stripes of rows.
    /// - Throws: ``/FirnImage/ImageError`` if `size` is empty, there is no memory, or the weights for a very long side
    ///   exceed the byte limit; its fault is `cancelled` if the flag is set.
    /// - Complexity: O(`height` of the new image × `width` of the old one × window). Holds the new image, one row of
    ///   floats and the weights.
    public func resized(to size: PixelSize, cancellation: CancellationFlag? = nil) throws(ImageError) -> Bitmap {
        try ImageError.at(.processing) { try resized(to: size, filter: .lanczos3, cancellation: cancellation) }
    }

    /// Returns the image resized with any filter.
    package func resized(
        to size: PixelSize, filter: ResizeFilter, cancellation: CancellationFlag? = nil
    ) throws -> Bitmap {
        try resized(
            to: size, PixelArea(size), filter: filter,
            ProcessingRun(
                name: "resize", context: ImageProcessingContext(cancellation: cancellation ?? CancellationFlag())))
    }

    /// Returns an area of the image resized to `size`, without computing the rest.
    ///
    /// - Parameter inLinearLight: whether to mix encoded colors in linear light.
    /// - Throws: also ``/FirnImage/ImageError`` if the area is empty or not inside `size`.
    func resized(
        to size: PixelSize, _ area: PixelArea, filter: ResizeFilter, inLinearLight: Bool = false, _ run: ProcessingRun
    ) throws -> Bitmap {
        guard area.lies(in: size) else { throw ImageError.unusable(area.size) }
        if size == self.size { return try cropped(to: area, run) }
        return try resized(area.size, of: size, filter: filter, inLinearLight: inLinearLight, run) {
            let horizontal = FilterWindows.of(
                filter, source: self.size.width, target: size.width, outputs: area.columns)
            let vertical = FilterWindows.of(filter, source: self.size.height, target: size.height, outputs: area.rows)
            return (horizontal, vertical)
        }
    }

    /// Returns `part` pixels of the image resized to `size`.
    ///
    /// - Parameter windows: makes the windows of the columns and rows after the check of their memory.
    func resized(
        _ part: PixelSize, of size: PixelSize, filter: ResizeFilter, inLinearLight: Bool = false, _ run: ProcessingRun,
        windows: () -> (horizontal: FilterWindows, vertical: FilterWindows)
    ) throws -> Bitmap {
        try withRows { source in
            try Bitmap(size: part, format: format, isOpaque: isOpaque, colorProfile: colorProfile) { pixels in
                try run.admitWindows(filter, part.width, of: self.size.width, size.width)
                try run.admitWindows(filter, part.height, of: self.size.height, size.height)
                let (horizontal, vertical) = windows()
                let target = TargetRows(pixels)
                if inLinearLight, format != .rgbaHalfPremultiplied {
                    try LinearResize(horizontal: horizontal, vertical: vertical, curve: .of(self))
                        .run(source, into: target, run)
                } else {
                    try TwoPassResize(horizontal: horizontal, vertical: vertical)
                        .run(source, isOpaque: isOpaque, into: target, run)
                }
            }
        }
    }

    /// Returns a part of the image resized to `size`. The part's edges may lie within pixels.
    ///
    /// Pixels around the part contribute to its edges, so that separately resized parts fit together. If the part lies
    /// on whole pixels and already has `size`, it is copied.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if the part is empty or not inside the image, there is no memory, or the
    ///   flag is set.
    package func resized(
        columns: Range<Double>, rows: Range<Double>, to size: PixelSize, cancellation: CancellationFlag? = nil
    ) throws -> Bitmap {
        let run = ProcessingRun(
            name: "region", context: ImageProcessingContext(cancellation: cancellation ?? CancellationFlag()))
        guard !columns.isEmpty, !rows.isEmpty, columns.lowerBound >= 0, rows.lowerBound >= 0, !size.isEmpty,
            columns.upperBound <= Double(self.size.width), rows.upperBound <= Double(self.size.height)
        else { throw ImageError.unusable(size) }
        if let left = Int(exactly: columns.lowerBound), let top = Int(exactly: rows.lowerBound),
            columns.upperBound - columns.lowerBound == Double(size.width),
            rows.upperBound - rows.lowerBound == Double(size.height)
        {
            return try cropped(to: PixelArea(x: left, y: top, size: size), run)
        }
        return try resized(size, of: size, filter: .lanczos3, run) {
            let horizontal = FilterWindows(
                .lanczos3, source: self.size.width, span: columns, target: size.width, outputs: 0..<size.width)
            let vertical = FilterWindows(
                .lanczos3, source: self.size.height, span: rows, target: size.height, outputs: 0..<size.height)
            return (horizontal, vertical)
        }
    }
}

extension ProcessingRun {
    /// Throws if the weights for `count` new pixels of a resize from `source` to `target` pixels exceed the byte limit.
    ///
    /// Only enlarging very long sides needs large weights.
    func admitWindows(_ filter: ResizeFilter, _ count: Int, of source: Int, _ target: Int) throws {
        let taps = FilterWindows.maximumTaps(filter, source: source, target: target)
        // Each weight takes 8 bytes in double precision, and 4 more in the kernel's form.
        guard Double(count) * taps * 12 <= Double(context.limits.maximumResultBytes) else {
            throw beyond(
                "the weights for a side of \(target) pixels are beyond the limit of "
                    + "\(context.limits.maximumResultBytes) bytes", "maximumResultBytes")
        }
    }
}
