public import FirnImage

extension Bitmap {
    /// The picture resized to `size`, sides stretched independently; itself, without a copy, if it has that size.
    ///
    /// Straight colours count by their alpha. Format, `isOpaque` and `colorProfile` are kept; the colours are mixed
    /// as they are stored, which is linear light only for half floats, as decoders that scale do too.
    /// - Parameter cancellation: asked every 64 rows.
    /// - Throws: ``/FirnImage/BitmapError`` if `size` is empty or there is no memory; `CancellationError`.
    /// - Complexity: O(`height` of the new picture × `width` of the old one × window); besides the new picture it
    ///   holds one row of floats and the weights.
    public func resized(
        to size: PixelSize, filter: ResizeFilter = .lanczos3, cancellation: CancellationFlag? = nil
    ) throws -> Bitmap {
        try resized(
            to: size, columns: 0..<max(0, size.width), rows: 0..<max(0, size.height), filter: filter,
            cancellation: cancellation)
    }

    /// The part `columns` × `rows` of the picture resized to `size`; only that part is computed.
    ///
    /// - Throws: ``BitmapError/unusable(_:)`` also if the part is empty or not inside `size`.
    package func resized(
        to size: PixelSize, columns: Range<Int>, rows: Range<Int>, filter: ResizeFilter,
        cancellation: CancellationFlag?
    ) throws -> Bitmap {
        let part = PixelSize(width: columns.count, height: rows.count)
        guard !part.isEmpty, columns.lowerBound >= 0, rows.lowerBound >= 0,
            size.covers(PixelSize(width: columns.upperBound, height: rows.upperBound))
        else { throw BitmapError.unusable(part) }
        if size == self.size, part == size { return self }
        return try Bitmap(size: part, format: format, isOpaque: isOpaque, colorProfile: colorProfile) { pixels in
            let resizing = TwoPassResize(
                horizontal: FilterWindows(filter, source: self.size.width, target: size.width, outputs: columns),
                vertical: FilterWindows(filter, source: self.size.height, target: size.height, outputs: rows))
            try withUnsafeBytes { source in
                guard let base = source.baseAddress else { throw BitmapError.unusable(part) }
                switch format {
                case .rgba16Straight, .rgbaHalfPremultiplied:
                    try resizing.runWide(base, of: self, into: &pixels, cancellation)
                case .rgba8Straight where !isOpaque:
                    try resizing.runStraight(base, of: self, into: &pixels, cancellation)
                case .rgba8Straight, .bgra8Premultiplied, .rgb8:
                    try resizing.run(base, of: self, into: &pixels, cancellation)
                }
            }
        }
    }
}
