extension Bitmap {
    /// Returns the image averaged down to `target`, no side of which is longer, or the image itself if it has that
    /// size.
    ///
    /// Supports only the two formats of four bytes per pixel.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` or ``BitmapError`` if there is no memory.
    func reduced(to target: PixelSize) throws -> Bitmap {
        guard target != size else { return self }
        // Premultiplied colors are averaged as they are; straight colors are weighted by their alpha.
        let reducer = try AreaReducer(
            from: size, to: target, layout: format == .bgra8Premultiplied ? .bgra8 : .rgba8,
            isOpaque: isOpaque || format == .bgra8Premultiplied)
        return try Bitmap(size: target, format: format, isOpaque: isOpaque) { pixels in
            withUnsafeBytes { source in
                guard let base = source.baseAddress else { return }
                _ = reducer.add(
                    base, bytesPerRow: bytesPerRow, count: size.height, into: pixels.base,
                    bytesPerRow: pixels.bytesPerRow)
            }
        }
    }
}

extension Bitmap {
    /// Returns a copy of a part of the image, or the image itself if the part is all of it.
    ///
    /// - Throws: ``BitmapError`` if there is no memory.
    func part(_ area: PixelArea) throws -> Bitmap {
        guard area != PixelArea(size) else { return self }
        return try Bitmap(size: area.size, format: format, isOpaque: isOpaque) { copy(area, to: $0) }
    }

    /// Copies a part of the image to `target`, which has the same format, from column `x` and row `y` on.
    func copy(_ area: PixelArea, to target: borrowing MutablePixels, x: Int = 0, y: Int = 0) {
        let (step, first, targetBytesPerRow) = (format.bytesPerPixel, target.row(y), target.bytesPerRow)
        withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            for row in 0..<area.size.height {
                (first + row * targetBytesPerRow + x * step).copyMemory(
                    from: base + (area.y + row) * bytesPerRow + area.x * step, byteCount: area.size.width * step)
            }
        }
    }
}
