internal import CFirnProcessing
internal import FirnImage

/// Convolves a picture with a Gaussian, or with three boxes that come near to one.
///
/// Boxes: an extended box has as large a variance as a third of the Gaussian's, exactly, by the weight of its two end
/// pixels. Three of them differ from the Gaussian's kernel by at most 6 % of its peak, at its middle. Their cost does not depend on the radius.
/// Source: Gwosdek, Grewenig, Bruhn, Weickert: "Theoretical foundations of Gaussian convolution by extended box
/// filtering", SSVM 2011.
struct GaussianBlurring {
    /// The standard deviation.
    let radius: Double
    /// Up to here the Gaussian itself is the faster one, too.
    static let largestExact = 3.0

    /// Writes the blurred rows of `source` into `target`, which has its size and format.
    func run(_ source: SourceRows, isOpaque: Bool, into target: TargetRows, _ run: ProcessingRun) throws {
        if radius <= GaussianBlurring.largestExact {
            let windows = (
                FilterWindows.gaussian(source.size.width, radius: radius),
                FilterWindows.gaussian(source.size.height, radius: radius)
            )
            try TwoPassResize(horizontal: windows.0, vertical: windows.1)
                .run(source, isOpaque: isOpaque, into: target, run)
        } else if source.format.mixesAsBytes(isOpaque: isOpaque) {
            try runBytes(source, target, run)
        } else {
            try runFloats(source, target, run)
        }
    }

    /// The box whose variance is a third of the Gaussian's.
    private var box: firn_box {
        let variance = radius * radius / 3
        let reach = ((12 * variance + 1).squareRoot() - 1) / 2
        let whole = reach.rounded(.down)
        let end =
            (2 * whole + 1) * (whole * (whole + 1) - 3 * variance)
            / (6 * (variance - (whole + 1) * (whole + 1)))
        let sum = 2 * whole + 1 + 2 * end
        return firn_box(radius: Int(whole), inner: Float(1 / sum), end: Float(end / sum))
    }

    private func runBytes(_ source: SourceRows, _ target: TargetRows, _ run: ProcessingRun) throws {
        let box = box
        let step = source.format.bytesPerPixel
        let (bytes, height, width) = (source.size.width * step, source.size.height, source.size.width)
        // Columns first, into the target; then its rows, in place.
        try run.stripes((bytes + 63) / 64, pixels: (height + 3 * Int(box.radius)) * 8) { strips in
            withScratch(box) { scratch in
                var box = box
                let start = strips.lowerBound * 64
                firn_blur_columns8(
                    &box, (source.base + start).assumingMemoryBound(to: UInt8.self), source.bytesPerRow,
                    (target.base + start).assumingMemoryBound(to: UInt8.self), target.bytesPerRow,
                    min(bytes, strips.upperBound * 64) - start, height, scratch)
            }
        }
        try run.stripes(height, pixels: (width + 3 * Int(box.radius)), multiple: 4) { rows in
            withScratch(box) { scratch in
                var box = box
                for y in stride(from: rows.lowerBound, to: rows.upperBound, by: 4) {
                    firn_blur_rows8(
                        &box, target.row(y).assumingMemoryBound(to: UInt8.self), target.bytesPerRow,
                        min(4, rows.upperBound - y), width, step, scratch)
                }
            }
        }
    }

    private func runFloats(_ source: SourceRows, _ target: TargetRows, _ run: ProcessingRun) throws {
        let box = box
        let (height, width) = (source.size.height, source.size.width)
        let floats = try FloatPicture(source.size, run)
        try run.stripes(height, pixels: (width + 3 * Int(box.radius)) * 4, multiple: 4) { rows in
            withScratch(box) { scratch in
                var box = box
                for y in stride(from: rows.lowerBound, to: rows.upperBound, by: 4) {
                    let count = min(4, rows.upperBound - y)
                    for row in y..<y + count {
                        source.load(row, count: width, into: floats.row(row))
                        for index in 4 * width..<floats.stride { floats.row(row)[index] = 0 }
                    }
                    firn_blur_rows_floats(&box, floats.row(y), floats.stride, count, width, scratch)
                }
            }
        }
        try run.stripes(floats.stride / 16, pixels: (height + 3 * Int(box.radius)) * 8) { strips in
            withScratch(box) { scratch in
                var box = box
                firn_blur_columns_floats(
                    &box, floats.base + strips.lowerBound * 16, floats.stride, strips.count * 16, height, scratch)
            }
        }
        try run.stripes(height, pixels: width * 4) { rows in
            for y in rows { target.store(floats.row(y), y, count: width) }
        }
    }

    private func withScratch(_ box: firn_box, _ body: (UnsafeMutablePointer<Float>) -> Void) {
        var box = box
        FloatRow.with(firn_blur_scratch(&box), body)
    }
}
