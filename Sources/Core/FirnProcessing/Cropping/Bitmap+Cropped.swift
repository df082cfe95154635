internal import FirnImage

extension Bitmap {
    /// Returns a copy of a part of the image, or the image itself if the part covers all of it. The part must lie
    /// inside the image.
    func cropped(to columns: Range<Int>, _ rows: Range<Int>, _ run: ProcessingRun) throws -> Bitmap {
        let part = PixelSize(width: columns.count, height: rows.count)
        if part == size { return self }
        guard !part.isEmpty, columns.lowerBound >= 0, rows.lowerBound >= 0,
            size.covers(PixelSize(width: columns.upperBound, height: rows.upperBound))
        else { throw BitmapError.unusable(part) }
        let step = format.bytesPerPixel
        return try run.make(from: self, size: part, format: format, isOpaque: isOpaque) { source, target in
            try run.stripes(part.height, pixels: part.width) { stripe in
                for y in stripe {
                    target.row(y).copyMemory(
                        from: source.row(rows.lowerBound + y) + columns.lowerBound * step, byteCount: part.width * step)
                }
            }
        }
    }
}
