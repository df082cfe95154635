internal import CFirnProcessing
internal import FirnImage

/// Convolves an image with a Gaussian, or with passes of boxes that come near to one.
///
/// Small radii: the Gaussian itself. Others: ``/FirnProcessing/GaussianBlurring/boxes``, whose cost does not depend on the
/// radius. Between columns and rows pixels have 16 bits, or are floats; bytes are rounded once, at the end.
struct GaussianBlurring {
    /// The standard deviation.
    let radius: Double
    /// Up to here it is the Gaussian itself.
    static let largestExact = 3.0

    /// Writes the blurred rows of `source` into `target`, which has its size and format.
    func run(_ source: SourceRows, isOpaque: Bool, into target: TargetRows, _ run: ProcessingRun) throws {
        let isBytes = source.format.mixesAsBytes(isOpaque: isOpaque)
        if radius > GaussianBlurring.largestExact {
            let bands = BlurBands(
                size: source.size, bytesPerRow: source.size.width * (isBytes ? source.format.bytesPerPixel * 2 : 16),
                boxes: GaussianBlurring.boxes(radius: radius))
            if isBytes { try bands.runBytes(source, target, run) } else { try bands.runFloats(source, target, run) }
            return
        }
        let vertical = FilterWindows.gaussian(source.size.height, radius: radius)
        if isBytes {
            try runBytes(source, VerticalPass(vertical), target, run)
        } else {
            let horizontal = FilterWindows.gaussian(source.size.width, radius: radius)
            try TwoPassResize(horizontal: horizontal, vertical: vertical)
                .run(source, isOpaque: isOpaque, into: target, run)
        }
    }

    /// The Gaussian itself: a row of sums at a time, which becomes a row of bytes.
    private func runBytes(
        _ source: SourceRows, _ vertical: VerticalPass, _ target: TargetRows, _ run: ProcessingRun
    ) throws {
        let (width, channels) = (source.size.width, source.format.bytesPerPixel)
        let count = width * channels
        let scale = 1 / Double(1 << vertical.fractionBits)
        let weights = FilterWindows.gaussianHalf(radius: radius).map { Float($0 * scale) }
        let reach = weights.count - 1
        // More of the outermost pixels on both sides.
        let margin = (reach * channels + 15) & ~15
        try run.stripes(source.size.height, pixels: width * weights.count / 8, multiple: 16) { rows in
            FloatRow.with(count + 2 * margin + 16) { floats in
                let sums = floats + margin
                for y in rows {
                    vertical.mix(y, from: source.base, bytesPerRow: source.bytesPerRow, count: count, into: sums)
                    for index in 1...reach * channels {
                        sums[-index] = sums[(channels - index % channels) % channels]
                        sums[count - 1 + index] = sums[count - channels + (index - 1) % channels]
                    }
                    firn_mix_row8(
                        sums, channels, weights, reach, target.row(y).assumingMemoryBound(to: UInt8.self), width)
                }
            }
        }
    }

    /// A box, the same box again, and a mixture of a narrow and a wide one: as broad as the Gaussian, and as pointed.
    ///
    /// Each box has exactly its share of the Gaussian's variance, by the weight of its two end pixels; so has the whole. Three equal
    /// boxes would be 6 % of the Gaussian's peak away from it, being too blunt; the mixture, whose shares are those
    /// with the least squared difference between the spectra, is 0.54 % away at the most.
    static func boxes(radius: Double) -> firn_blur {
        let (narrow, wide, share) = (0.13183276, 1.0991682, 0.62588871)
        let even = (1 - share * narrow - (1 - share) * wide) / 2
        let variance = radius * radius
        return firn_blur(
            even: box(variance: even * variance, weight: 1), wide: box(variance: wide * variance, weight: 1 - share),
            narrow: box(variance: narrow * variance, weight: share))
    }

    /// - Parameter weight: what its weights add up to.
    private static func box(variance: Double, weight: Double) -> firn_box {
        let reach = ((12 * variance + 1).squareRoot() - 1) / 2
        let whole = reach.rounded(.down)
        let end =
            (2 * whole + 1) * (whole * (whole + 1) - 3 * variance)
            / (6 * (variance - (whole + 1) * (whole + 1)))
        let sum = (2 * whole + 1 + 2 * end) / weight
        return firn_box(radius: Int(whole), inner: Float(1 / sum), end: Float(end / sum))
    }
}
