package import FirnImage

extension Bitmap {
    /// Returns a part of the image resized to `size`. The edges of the part may be within pixels.
    ///
    /// Pixels around the part contribute to those at its edges, so that parts that were resized on their own fit
    /// together. A part that begins and ends between pixels and has the columns and rows of `size` is copied.
    ///
    /// - Throws: ``/FirnImage/BitmapError`` if the part is empty or not inside the image, or there is no memory;
    ///   `CancellationError`.
    package func resized(
        columns: Range<Double>, rows: Range<Double>, to size: PixelSize, cancellation: CancellationFlag? = nil
    ) throws -> Bitmap {
        let run = ProcessingRun(
            name: "region", context: ImageProcessingContext(cancellation: cancellation ?? CancellationFlag()))
        guard !columns.isEmpty, !rows.isEmpty, columns.lowerBound >= 0, rows.lowerBound >= 0, !size.isEmpty,
            columns.upperBound <= Double(self.size.width), rows.upperBound <= Double(self.size.height)
        else { throw BitmapError.unusable(size) }
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
