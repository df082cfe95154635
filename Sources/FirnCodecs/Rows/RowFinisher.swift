import CFirnCodecs
import FirnImage

/// Brings rows as a library writes them to the picture's own form: colours to sRGB, then alpha multiplied in.
///
/// Order: a profile describes straight colours, so it is applied before the multiplication.
struct RowFinisher {
    let plan: ColorPlan
    let hasAlpha: Bool
    /// Whether every row finished so far is opaque.
    private(set) var isOpaque = true

    init(plan: ColorPlan, hasAlpha: Bool) {
        self.plan = plan
        self.hasAlpha = hasAlpha
    }

    /// Finishes rows that the library does not touch any more, each of them once.
    mutating func finish(_ pixels: inout MutablePixels, rows: Range<Int>) {
        guard !rows.isEmpty else { return }
        let block = PixelBlock(pixels, rows: rows)
        if case .inPlace(let transform) = plan { transform.apply(to: block) }
        guard hasAlpha, pixels.format.hasAlpha else { return }
        if firn_pixels_opaque(block.base, block.bytesPerRow, block.width, block.rows) { return }
        isOpaque = false
        if pixels.format == .bgra8Premultiplied {
            firn_pixels_premultiply(block.base, block.bytesPerRow, block.width, block.rows)
        }
    }
}

extension PixelBlock {
    /// Some rows of a picture that is being made.
    init(_ pixels: borrowing MutablePixels, rows: Range<Int>) {
        self.init(
            base: pixels.row(rows.lowerBound).assumingMemoryBound(to: UInt8.self), bytesPerRow: pixels.bytesPerRow,
            width: UInt32(clamping: pixels.size.width), rows: UInt32(clamping: rows.count), format: pixels.format)
    }
}
