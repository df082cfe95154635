extension Bitmap {
    /// Returns the image in another layout; returns the image itself, without a copy, if it already has that layout.
    ///
    /// Colors are multiplied by alpha, or divided by it, and rounded to the nearest value. Transparent pixels become
    /// black, except between straight layouts. Dividing does not restore what multiplying rounded away: a color is
    /// exact if alpha is 255, and otherwise within `128 / alpha + 1/2` levels.
    ///
    /// 8-bit images convert exactly to 16 bits and half floats. Half floats have 11 bits, so 16-bit images lose low
    /// bits. Converting half floats to other layouts loses values outside 0...1. Conversions from and to linear light
    /// assume sRGB. ``isOpaque`` and ``colorProfile`` are kept.
    ///
    /// - Throws: ``ImageError/Fault/image`` if `format` has no alpha and some pixel is not opaque, or for half floats
    ///   of PQ or HLG values; ``ImageError/Fault/limit`` if there is no memory.
    public func converted(to format: PixelFormat) throws(ImageError) -> Bitmap {
        if format == self.format { return self }
        if format == .rgbaHalfPremultiplied, let range = light.dynamicRange {
            throw ImageError(
                .image, at: .processing, "has \(range.uppercased()) values; decode it as half floats instead")
        }
        return try withUnsafeBytes { source throws(ImageError) in
            guard let base = source.baseAddress else { throw ImageError.unusable(size) }
            return try Bitmap(size: size, format: format, isOpaque: isOpaque, colorProfile: colorProfile) { pixels in
                for y in 0..<size.height {
                    let row = PixelRow(base: base + y * bytesPerRow, count: size.width, isOpaque: isOpaque)
                    guard row.convert(self.format, to: format, into: pixels.row(y)) else {
                        throw ImageError.notOpaque(format)
                    }
                }
            }
        }
    }
}

extension PixelRow {
    /// Writes the row, which has the layout `source`, in the layout `format`.
    ///
    /// - Returns: false at a pixel that is not opaque if `format` has no alpha; the row is then unfinished.
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

    /// Converts between two layouts if at least one of them is wide.
    private func convertByWords(
        _ source: PixelFormat, to format: PixelFormat, into target: UnsafeMutableRawPointer
    ) -> Bool {
        // Computes only the table that is needed.
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

extension BitmapBuilder {
    /// Returns a copy of the first `rows` rows; rows below are transparent. Default: all rows.
    ///
    /// If the layout has no alpha and rows are missing, the copy is `bgra8Premultiplied`, because black rows would look
    /// decoded.
    package func copy(rows: Int? = nil) throws(ImageError) -> BitmapBuilder {
        let rows = min(max(rows ?? size.height, 0), size.height)
        let isWidened = !format.hasAlpha && rows < size.height
        let copy = try BitmapBuilder(size: size, format: isWidened ? .bgra8Premultiplied : format)
        guard let from = storage?.base, let to = copy.storage?.base else { return copy }
        guard isWidened else {
            to.copyMemory(from: from, byteCount: rows * bytesPerRow)
            return copy
        }
        for y in 0..<rows {
            PixelRow(base: from + y * bytesPerRow, count: size.width, isOpaque: true)
                .widen(into: to + y * copy.bytesPerRow, redFirst: false)
        }
        return copy
    }
}
