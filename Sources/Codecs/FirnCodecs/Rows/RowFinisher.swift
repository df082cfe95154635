import CFirnCodecs
import FirnImage

/// Converts decoded samples to the image's pixels: colors to sRGB, then multiplies them by alpha.
///
/// Order: a profile describes straight colors, so it is applied before the multiplication.
struct RowFinisher {
    let plan: ColorPlan
    let hasAlpha: Bool
    /// True if every row finished so far is opaque.
    private(set) var isOpaque = true

    /// Finishes rows that were decoded into the image. Call it once per row.
    mutating func finish(_ pixels: inout MutablePixels, rows: Range<Int>) throws(ImageDecodingError) {
        guard !rows.isEmpty else { return }
        let block = PixelBlock(pixels, rows: rows)
        if case .transform(let transform) = plan.step {
            try transform.apply(block.base, bytesPerRow: block.bytesPerRow, to: block)
        }
        multiply(block)
    }

    /// Writes rows of samples that were decoded elsewhere. Call it once per row.
    ///
    /// Safety: `samples` holds as many rows as `rows`, in the layout that the plan requested.
    mutating func finish(
        _ pixels: inout MutablePixels, rows: Range<Int>, from samples: UnsafeRawPointer, bytesPerRow: Int
    ) throws(ImageDecodingError) {
        guard !rows.isEmpty else { return }
        let block = PixelBlock(pixels, rows: rows)
        switch plan.step {
        case .none: return
        case .transform(let transform): try transform.apply(samples, bytesPerRow: bytesPerRow, to: block)
        case .widen:
            firn_pixels_widen(
                samples.assumingMemoryBound(to: UInt8.self), bytesPerRow, block.base, block.bytesPerRow, block.width,
                block.rows)
        }
        multiply(block)
    }

    private mutating func multiply(_ block: PixelBlock) {
        guard hasAlpha, block.format.hasAlpha else { return }
        let layout = plan.given.library
        if firn_layout_opaque(layout, block.base, block.bytesPerRow, block.width, block.rows) { return }
        isOpaque = false
        switch block.format {
        case .bgra8Premultiplied:
            firn_pixels_premultiply(block.base, block.bytesPerRow, block.width, block.rows)
        case .rgbaHalfPremultiplied:
            firn_pixels_premultiply_halves(block.base, block.bytesPerRow, block.width, block.rows)
        case .rgba8Straight, .rgba16Straight, .rgb8: break
        }
    }
}
