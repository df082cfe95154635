import CFirnCodecs

/// Decodes the rows of a source, and converts their samples to the image's pixels: colors to sRGB, then multiplies them
/// by alpha.
///
/// Samples in the image's own layout are decoded in place; others go through `samples`.
///
/// Order: a profile describes straight colors, so it is applied before the multiplication.
struct RowFinisher {
    let source: any RowSource
    let plan: DecodePlan
    /// Samples in another layout than the image's: all of them if the source is whole, otherwise the most rows that are
    /// read at once. `nil` if the plan needs no strip.
    let samples: BitmapBuilder?
    /// True if every row finished so far is opaque.
    private(set) var isOpaque = true

    /// Decodes at most `rows` rows, for `pixels` from row `first` on. A whole source decodes all over the image.
    func read(
        _ chain: ByteChain, rows: Int, _ pixels: borrowing MutablePixels, at first: Int
    ) throws(ImageDecodingError) -> RowProgress {
        guard let samples else { return try source.read(chain, into: source.memory(pixels, at: first, rows: rows)) }
        return try samples.withPixels { samples throws(ImageDecodingError) in
            try source.read(chain, into: source.memory(samples, rows: rows))
        } ?? RowProgress(rows: 0, state: .end)
    }

    /// Writes the preview of the whole image.
    ///
    /// - Returns: whether there was anything new since the last call.
    func preview(_ chain: ByteChain, _ pixels: borrowing MutablePixels) throws(ImageDecodingError) -> Bool {
        guard let samples else { return try source.preview(chain, into: source.memory(pixels)) }
        return try samples.withPixels { samples throws(ImageDecodingError) in
            try source.preview(chain, into: source.memory(samples))
        } ?? false
    }

    /// Finishes rows that were decoded into the image, or into `samples`, from its row `start` on. Call it once a row.
    mutating func finish(
        _ pixels: borrowing MutablePixels, rows: Range<Int>, samplesFrom start: Int
    ) throws(ImageDecodingError) {
        guard !rows.isEmpty else { return }
        let block = PixelBlock(pixels, rows: rows)
        let step = plan.colors.step
        if let samples {
            _ = try samples.withPixels { samples throws(ImageDecodingError) in
                try RowFinisher.convert(samples.row(start), bytesPerRow: samples.bytesPerRow, step, to: block)
            }
        } else {
            try RowFinisher.convert(block.base, bytesPerRow: block.bytesPerRow, step, to: block)
        }
        multiply(block)
    }

    private static func convert(
        _ samples: UnsafeRawPointer, bytesPerRow: Int, _ step: ColorPlan.Step, to block: PixelBlock
    ) throws(ImageDecodingError) {
        switch step {
        case .none: break
        case .transform(let transform): try transform.apply(samples, bytesPerRow: bytesPerRow, to: block)
        case .widen:
            firn_pixels_widen(
                samples.assumingMemoryBound(to: UInt8.self), bytesPerRow, block.base, block.bytesPerRow, block.width,
                block.rows)
        }
    }

    private mutating func multiply(_ block: PixelBlock) {
        guard plan.frame.hasAlpha, block.format.hasAlpha else { return }
        let layout = plan.colors.given.library
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
