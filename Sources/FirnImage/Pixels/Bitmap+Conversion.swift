extension Bitmap {
    /// The picture in the layout `format`; itself, without a copy, if it has that layout.
    ///
    /// Colours are multiplied by alpha, or divided by it, with rounding to the nearest value; transparent pixels become
    /// black. Dividing cannot bring back what multiplying has rounded away: a colour comes back exactly where alpha is
    /// 255 and within `128 / alpha + 1/2` levels elsewhere. ``isOpaque`` and ``colorProfile`` are kept.
    /// - Throws: ``BitmapError/notOpaque(_:)`` if `format` has no alpha and some pixel is not opaque;
    ///   ``BitmapError/outOfMemory(bytes:)``.
    public func converted(to format: PixelFormat) throws -> Bitmap {
        if format == self.format { return self }
        return try withUnsafeBytes { source in
            guard let base = source.baseAddress else { throw BitmapError.unusable(size) }
            return try Bitmap(size: size, format: format, isOpaque: isOpaque, colorProfile: colorProfile) { pixels in
                for y in 0..<size.height {
                    let row = PixelRow(base: base + y * bytesPerRow, count: size.width, isOpaque: isOpaque)
                    let target = pixels.row(y)
                    switch (self.format, format) {
                    case (.bgra8Premultiplied, .bgra8Premultiplied), (.rgba8Straight, .rgba8Straight), (.rgb8, .rgb8):
                        target.copyMemory(from: row.base, byteCount: size.width * format.bytesPerPixel)
                    case (.bgra8Premultiplied, .rgba8Straight): row.divideByAlpha(into: target)
                    case (.rgba8Straight, .bgra8Premultiplied): row.multiplyByAlpha(into: target)
                    case (.rgb8, .bgra8Premultiplied): row.widen(into: target, redFirst: false)
                    case (.rgb8, .rgba8Straight): row.widen(into: target, redFirst: true)
                    case (.bgra8Premultiplied, .rgb8):
                        guard row.narrow(into: target, redFirst: false) else { throw BitmapError.notOpaque(format) }
                    case (.rgba8Straight, .rgb8):
                        guard row.narrow(into: target, redFirst: true) else { throw BitmapError.notOpaque(format) }
                    }
                }
            }
        }
    }
}
