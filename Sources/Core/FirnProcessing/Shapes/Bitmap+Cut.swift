internal import CFirnProcessing

extension Bitmap {
    /// Returns the image or a part of it with round corners and a border inside its edge.
    ///
    /// - Parameters:
    ///   - radii: the radii of the corners, as for ``RoundedShape``.
    ///   - area: the part, which must lie inside the image. Default: the whole image.
    func cut(
        _ radii: [Double], border: ImageProcessingOptions.Border?, part area: PixelArea? = nil,
        _ run: ProcessingRun
    ) throws -> Bitmap {
        for radius in radii { try run.require(radius, 0...0x1p30, "a radius") }
        let line = border?.width ?? 0
        try run.require(line, 0...0x1p30, "the border's width")
        let area = area ?? PixelArea(size)
        let (width, height) = (area.size.width, area.size.height)
        let corners = SIMD4(radii)
        let outer = RoundedShape(width: width, height: height, corners: corners)
        let inner = RoundedShape(width: width, height: height, corners: corners, inset: line)
        let isCut = radii.contains { $0 > 0 }
        if !isCut, line == 0 { return try cropped(to: area, run) }
        let isOpaque = isOpaque && !isCut && (border?.color.alpha ?? 255) == 255
        let format = isOpaque ? self.format : self.format.withAlpha
        let color = border.map { $0.color.floats(for: format) } ?? SIMD4()
        return try run.make(from: self, size: area.size, format: format, isOpaque: isOpaque) { whole, target in
            let source = whole.part(area)
            try run.stripes(height, pixels: width) { rows in
                FloatRow.with(6 * width) { floats in
                    let (outside, inside) = (floats + 4 * width, floats + 5 * width)
                    for y in rows {
                        let solid = inner.cover(y, into: inside)
                        target.copy(solid, y, from: source)
                        if solid == 0..<width { continue }
                        let filled = line > 0 ? outer.cover(y, into: outside) : 0..<0
                        if line > 0 { for x in filled where !solid.contains(x) { outside[x] = 1 } }
                        for side in [0..<solid.lowerBound, solid.upperBound..<width] where !side.isEmpty {
                            source.load(y, from: side.lowerBound, count: side.count, into: floats)
                            firn_row_cover(inside + side.lowerBound, floats, side.count)
                            if line > 0 {
                                for x in side {
                                    let share = max(0, outside[x] - inside[x])
                                    if share == 0 { continue }
                                    let pixel = floats + 4 * (x - side.lowerBound)
                                    for channel in 0..<4 { pixel[channel] += color[channel] * share }
                                }
                            }
                            target.store(floats, y, from: side.lowerBound, count: side.count)
                        }
                    }
                }
            }
        }
    }
}

extension TargetRows {
    /// Copies columns of one row, converting three bytes per pixel to four if necessary.
    fileprivate func copy(_ columns: Range<Int>, _ y: Int, from source: SourceRows) {
        guard !columns.isEmpty else { return }
        let from = source.row(y) + columns.lowerBound * source.format.bytesPerPixel
        let to = row(y) + columns.lowerBound * format.bytesPerPixel
        if source.format == format {
            to.copyMemory(from: from, byteCount: columns.count * format.bytesPerPixel)
        } else {
            firn_row_widen(
                from.assumingMemoryBound(to: UInt8.self), to.assumingMemoryBound(to: UInt8.self), columns.count, 0)
        }
    }
}
