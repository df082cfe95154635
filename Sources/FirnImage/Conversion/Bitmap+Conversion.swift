extension Bitmap {
    /// The image in the layout `format`; itself, without a copy, if it has that layout.
    ///
    /// Colors are multiplied by alpha, or divided by it, with rounding to the nearest value; transparent pixels become
    /// black, but keep their color between straight layouts. Dividing cannot bring back what multiplying has rounded
    /// away: a color comes back exactly where alpha is 255 and within `128 / alpha + 1/2` levels elsewhere.
    /// Images of 8 bits come back exactly from 16 bits and from half floats; images of 16 bits lose the low bits
    /// in half floats, which have 11, and half floats lose what is beyond 0...1 everywhere else.
    /// Colors are taken to be sRGB where light has to be known. ``isOpaque`` and ``colorProfile`` are kept.
    /// - Throws: ``BitmapError/notOpaque(_:)`` if `format` has no alpha and some pixel is not opaque;
    ///   ``BitmapError/outOfMemory(bytes:)``.
    public func converted(to format: PixelFormat) throws -> Bitmap {
        if format == self.format { return self }
        return try withUnsafeBytes { source in
            guard let base = source.baseAddress else { throw BitmapError.unusable(size) }
            return try Bitmap(size: size, format: format, isOpaque: isOpaque, colorProfile: colorProfile) { pixels in
                for y in 0..<size.height {
                    let row = PixelRow(base: base + y * bytesPerRow, count: size.width, isOpaque: isOpaque)
                    guard row.convert(self.format, to: format, into: pixels.row(y)) else {
                        throw BitmapError.notOpaque(format)
                    }
                }
            }
        }
    }
}

extension PixelRow {
    /// Writes the row, which is in the layout `source`, in the layout `format`.
    ///
    /// - Returns: `false`, with the row unfinished, at a pixel that is not opaque where `format` has no alpha.
    fileprivate func convert(
        _ source: PixelFormat, to format: PixelFormat, into target: UnsafeMutableRawPointer
    ) -> Bool {
        switch (source, format) {
        case (.bgra8Premultiplied, .rgba8Straight): divideByAlpha(into: target)
        case (.rgba8Straight, .bgra8Premultiplied): multiplyByAlpha(into: target)
        case (.rgb8, .bgra8Premultiplied): widen(into: target, redFirst: false)
        case (.rgb8, .rgba8Straight): widen(into: target, redFirst: true)
        case (.bgra8Premultiplied, .rgb8): return narrow(into: target, redFirst: false)
        case (.rgba8Straight, .rgb8): return narrow(into: target, redFirst: true)
        default: return convertByWords(source, to: format, into: target)
        }
        return true
    }

    /// The way of all pairs of which one is wide.
    private func convertByWords(
        _ source: PixelFormat, to format: PixelFormat, into target: UnsafeMutableRawPointer
    ) -> Bool {
        // Only the table that is needed is made.
        let words = source == .rgbaHalfPremultiplied ? StraightWords.ofHalves : []
        let light = format == .rgbaHalfPremultiplied ? LinearLight.ofWords : []
        let (step, newStep) = (source.bytesPerPixel, format.bytesPerPixel)
        return words.withUnsafeBufferPointer { words in
            light.withUnsafeBufferPointer { light in
                for x in 0..<count {
                    let pixel = StraightWords.load(base + x &* step, source, light: words)
                    if !format.hasAlpha, !isOpaque, pixel.w != 65_535 { return false }
                    StraightWords.store(pixel, target + x &* newStep, format, light: light)
                }
                return true
            }
        }
    }
}
