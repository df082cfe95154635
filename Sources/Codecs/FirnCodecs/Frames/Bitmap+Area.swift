import FirnImage

extension Bitmap {
    /// Returns a copy of a part of the image, or the image itself if the part is all of it.
    ///
    /// - Throws: ``BitmapError`` if there is no memory.
    func part(_ area: PixelArea) throws -> Bitmap {
        guard area != PixelArea(size) else { return self }
        let start = area.x * format.bytesPerPixel
        return try Bitmap(size: area.size, format: format, isOpaque: isOpaque) { pixels in
            withUnsafeBytes { source in
                guard let base = source.baseAddress else { return }
                for row in 0..<area.size.height {
                    pixels.row(row).copyMemory(
                        from: base + (area.y + row) * bytesPerRow + start,
                        byteCount: area.size.width * format.bytesPerPixel)
                }
            }
        }
    }
}
