internal import CFirnProcessing
internal import FirnSync

extension Bitmap {
    /// Returns the image blended with `upper`, whose upper left corner is at column `left` and row `top`, inside or
    /// outside the image.
    ///
    /// - Parameters:
    ///   - covers: whether `upper` hides the pixels under it at this opacity.
    ///   - isOneRow: whether `upper` has a single row that applies to every row.
    func blended(
        _ upper: Bitmap, left: Int, top: Int, _ mode: ImageProcessingOptions.BlendMode, opacity: Double,
        covers: Bool, isOneRow: Bool = false, _ run: ProcessingRun
    ) throws -> Bitmap {
        let columns = max(0, left)..<max(0, left, min(size.width, left + upper.size.width))
        let height = isOneRow ? size.height : upper.size.height
        let rows = max(0, top)..<max(0, top, min(size.height, top + height))
        return try blended(
            upper, columns: [BlendedPart(range: columns, start: left)], rows: [BlendedPart(range: rows, start: top)],
            mode, opacity: opacity, covers: covers, isOneRow: isOneRow, run)
    }

    /// Returns the image blended with copies of `upper`, at each combination of `columns` and `rows`.
    ///
    /// - Parameter rows: in order, without overlaps.
    func blended(
        _ upper: Bitmap, columns: [BlendedPart], rows: [BlendedPart], _ mode: ImageProcessingOptions.BlendMode,
        opacity: Double, covers: Bool, isOneRow: Bool = false, _ run: ProcessingRun
    ) throws -> Bitmap {
        let staysOpaque = isOpaque && mode.keepsOpaque(under: covers)
        let isBytes = format == .bgra8Premultiplied || format == .rgb8
        let backdrop = try converted(to: isBytes ? .bgra8Premultiplied : format)
        let upper = isBytes ? try upper.converted(to: .bgra8Premultiplied) : upper
        let columns = columns.filter { !$0.range.isEmpty }
        let longest = columns.map(\.range.count).max() ?? 0
        let blend = mode.blend(opacity: opacity, cuts: format != .rgbaHalfPremultiplied)
        let width = size.width
        let result = try upper.withRows { over in
            try run.make(
                from: backdrop, size: size, format: backdrop.format, isOpaque: staysOpaque
            ) { source, target in
                try run.stripes(size.height, pixels: width * (isBytes ? 2 : 12)) { stripe in
                    FloatRow.with(isBytes ? 0 : 8 * longest) { floats in
                        var next = rows.firstPlace { $0.range.upperBound > stripe.lowerBound }
                        for y in stripe {
                            target.row(y).copyMemory(
                                from: source.row(y), byteCount: width * source.format.bytesPerPixel)
                            while next < rows.count, rows[next].range.upperBound <= y { next += 1 }
                            guard next < rows.count, rows[next].range.contains(y) else { continue }
                            for part in columns {
                                let line = BlendLine(
                                    blend: blend, over: over, overRow: isOneRow ? 0 : y - rows[next].start,
                                    overColumn: part.range.lowerBound - part.start, columns: part.range)
                                if isBytes {
                                    line.mixBytes(into: target.row(y))
                                } else {
                                    line.mixFloats(source, y, into: target, floats)
                                }
                            }
                        }
                    }
                }
            }
        }
        // An image that stays opaque keeps its layout.
        return format == .rgb8 && staysOpaque ? try result.converted(to: .rgb8) : result
    }
}

/// The columns or rows that an upper image covers.
struct BlendedPart {
    /// The covered columns or rows inside the lower image.
    let range: Range<Int>
    /// The start of the upper image, which may be outside the lower one.
    let start: Int
}

/// One row of two images to blend.
private struct BlendLine {
    let blend: firn_blend
    let over: SourceRows
    let overRow: Int
    let overColumn: Int
    let columns: Range<Int>

    func mixBytes(into row: UnsafeMutableRawPointer) {
        var blend = blend
        firn_blend_row8(
            &blend, (over.row(overRow) + 4 * overColumn).assumingMemoryBound(to: UInt8.self),
            (row + 4 * columns.lowerBound).assumingMemoryBound(to: UInt8.self), columns.count)
    }

    func mixFloats(_ source: SourceRows, _ y: Int, into target: TargetRows, _ floats: UnsafeMutablePointer<Float>) {
        var blend = blend
        let upper = floats + 4 * columns.count
        source.load(y, from: columns.lowerBound, count: columns.count, into: floats)
        over.load(overRow, from: overColumn, count: columns.count, into: upper)
        firn_blend_floats(&blend, upper, floats, columns.count)
        target.store(floats, y, from: columns.lowerBound, count: columns.count)
    }
}
