import CFirnProcessing
import FirnSystem

/// Convolves an image with a Gaussian, or with box filters that approximate one.
///
/// Small radii use the exact Gaussian. Larger radii use ``/FirnProcessing/GaussianBlurring/boxes``, whose cost does not
/// depend on the radius. Between the column pass and the row pass, pixels are 16-bit integers or floats; bytes are
/// rounded once, at the end.
struct GaussianBlurring {
    /// The standard deviation of the Gaussian, in pixels.
    let radius: Double
    /// The largest radius that uses the exact Gaussian.
    static let largestExact = 3.0

    /// Writes the blurred rows of `source` into `target`, which has the same size and format.
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

    /// Blurs with the exact Gaussian: computes one row of sums at a time and rounds it to a row of bytes.
    private func runBytes(
        _ source: SourceRows, _ vertical: VerticalPass, _ target: TargetRows, _ run: ProcessingRun
    ) throws {
        let (width, channels) = (source.size.width, source.format.bytesPerPixel)
        let count = width * channels
        let scale = 1 / Double(1 << vertical.fractionBits)
        let weights = FilterWindows.gaussianHalf(radius: radius).map { Float($0 * scale) }
        let reach = weights.count - 1
        // The outermost pixel repeats on both sides.
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

    /// Returns a box, the same box again, and a mixture of a narrow and a wide box. Together they match the Gaussian's
    /// variance and approximate its peak.
    ///
    /// The weight of its two end pixels gives each box its exact share of the Gaussian's variance. Three equal boxes
    /// differ from the Gaussian by 6 % of its peak, because their peak is too flat. The mixture differs by at most 0.54
    /// %; its shares minimize the squared difference between the spectra.
    static func boxes(radius: Double) -> firn_blur {
        let (narrow, wide, share) = (0.13183276, 1.0991682, 0.62588871)
        let even = (1 - share * narrow - (1 - share) * wide) / 2
        let variance = radius * radius
        return firn_blur(
            even: box(variance: even * variance, weight: 1), wide: box(variance: wide * variance, weight: 1 - share),
            narrow: box(variance: narrow * variance, weight: share))
    }

    /// - Parameter weight: the sum of the box's weights.
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

extension FilterWindows {
    /// Returns the windows of a Gaussian with standard deviation `radius`, truncated at four times the radius, beyond
    /// which 0.006 % of its weight lies.
    ///
    /// The outermost pixel repeats beyond each edge: it gets the weights of the missing pixels.
    static func gaussian(_ length: Int, radius: Double) -> FilterWindows {
        let half = gaussianHalf(radius: radius)
        let reach = half.count - 1
        let kernel = half.reversed() + half.dropFirst()
        let taps = min(length, 2 * reach + 1)
        var starts: [Int] = []
        var weights = [Double](repeating: 0, count: taps * length)
        starts.reserveCapacity(length)
        for output in 0..<length {
            let start = min(max(0, output - reach), length - taps)
            starts.append(start)
            for (index, weight) in kernel.enumerated() {
                let pixel = min(max(0, output - reach + index), length - 1)
                weights[output * taps + pixel - start] += weight
            }
        }
        return FilterWindows(taps: taps, starts: starts, weights: weights)
    }

    /// Returns the weights of the window from its middle to one end.
    static func gaussianHalf(radius: Double) -> [Double] {
        let half = (0...Int((4 * radius).rounded(.up))).map { exp(-Double($0 * $0) / (2 * radius * radius)) }
        let sum = 2 * half.reduce(0, +) - half[0]
        return half.map { $0 / sum }
    }
}

/// A box blur that works band by band. The buffer between the column pass and the row pass holds one band, which
/// usually fits into the CPU cache.
///
/// Order: bands run one after another; stripes split the columns and rows of one band.
struct BlurBands {
    private let boxes: firn_blur
    private let size: PixelSize
    /// The number of rows above and below a row that contribute to it.
    private let reach: Int
    /// The number of rows of a band. The last band may have fewer.
    private let height: Int

    /// - Parameters:
    ///   - bytesPerRow: the bytes per row of the intermediate buffer.
    ///   - bytes: the approximate limit of the intermediate buffer; a large blur exceeds it. Default: 2 Mpx of three
    ///     bytes.
    init(size: PixelSize, bytesPerRow: Int, boxes: firn_blur, bytes: Int = 12 << 20) {
        self.boxes = boxes
        self.size = size
        reach = withUnsafePointer(to: boxes) { firn_blur_reach($0) }
        // Rows at the seams are computed twice; these are at most a third of all rows.
        let most = max(bytes / max(1, bytesPerRow), 6 * reach)
        let count = max(1, (size.height + most - 1) / most)
        height = max(4, ((size.height + count - 1) / count + 3) / 4 * 4)
    }

    private func forEachBand(_ body: (Range<Int>) throws -> Void) rethrows {
        for first in stride(from: 0, to: size.height, by: height) {
            try body(first..<min(size.height, first + height))
        }
    }

    /// Blurs layouts that can be mixed as bytes.
    func runBytes(_ source: SourceRows, _ target: TargetRows, _ run: ProcessingRun) throws {
        let (step, width) = (source.format.bytesPerPixel, size.width)
        let bytes = width * step
        // Each row starts at a cache line and has one extra number, because 3-byte pixels are read four bytes at a
        // time.
        let stride = (bytes + 1 + 31) & ~31
        let words = try WorkingMemory<UInt16>(stride, rows: min(height, size.height), run)
        try forEachBand { band in
            // The column pass is first.
            try run.stripes((bytes + 63) / 64, pixels: (band.count + 2 * reach) * 8) { strips in
                with(boxes) { boxes, scratch in
                    let start = strips.lowerBound * 64
                    firn_blur_columns8(
                        boxes, (source.base + start).assumingMemoryBound(to: UInt8.self), source.bytesPerRow,
                        size.height, band.lowerBound, band.upperBound, words.base + start, stride,
                        min(bytes, strips.upperBound * 64) - start, scratch)
                }
            }
            try run.stripes(band.count, pixels: width + reach, multiple: 4) { rows in
                with(boxes) { boxes, scratch in
                    for y in Swift.stride(from: rows.lowerBound, to: rows.upperBound, by: 4) {
                        firn_blur_rows8(
                            boxes, words.row(y), stride,
                            target.row(band.lowerBound + y).assumingMemoryBound(to: UInt8.self), target.bytesPerRow,
                            min(4, rows.upperBound - y), width, step, scratch)
                    }
                }
            }
        }
    }

    /// Blurs all other layouts, as floats.
    func runFloats(_ source: SourceRows, _ target: TargetRows, _ run: ProcessingRun) throws {
        let width = size.width
        let stride = (4 * width + 15) & ~15
        let floats = try WorkingMemory<Float>(stride, rows: min(height + 2 * reach, size.height), run)
        try forEachBand { band in
            // Rows above and below the band contribute to its columns.
            let all = max(0, band.lowerBound - reach)..<min(size.height, band.upperBound + reach)
            try run.stripes(all.count, pixels: (width + reach) * 4, multiple: 4) { rows in
                with(boxes) { boxes, scratch in
                    for y in Swift.stride(from: rows.lowerBound, to: rows.upperBound, by: 4) {
                        let count = min(4, rows.upperBound - y)
                        for row in y..<y + count {
                            source.load(all.lowerBound + row, count: width, into: floats.row(row))
                            for index in 4 * width..<stride { floats.row(row)[index] = 0 }
                        }
                        firn_blur_rows_floats(boxes, floats.row(y), stride, count, width, scratch)
                    }
                }
            }
            try run.stripes(stride / 16, pixels: (all.count + reach) * 8) { strips in
                with(boxes) { boxes, scratch in
                    firn_blur_columns_floats(
                        boxes, floats.base + strips.lowerBound * 16, stride, strips.count * 16, all.count, scratch)
                }
            }
            try run.stripes(band.count, pixels: width * 4) { rows in
                for y in rows {
                    let row = band.lowerBound + y
                    target.store(floats.row(row - all.lowerBound), row, count: width)
                }
            }
        }
    }

    private func with(_ boxes: firn_blur, _ body: (UnsafePointer<firn_blur>, UnsafeMutablePointer<Float>) -> Void) {
        withUnsafePointer(to: boxes) { boxes in
            FloatRow.with(firn_blur_scratch(boxes)) { body(boxes, $0) }
        }
    }
}

/// The intermediate rows between two passes over an image.
///
/// Safety: one thread at a time accesses each row, or each column.
final class WorkingMemory<Number>: @unchecked Sendable where Number: BitwiseCopyable {
    let base: UnsafeMutablePointer<Number>
    /// The distance between the starts of two rows, in numbers.
    private let stride: Int

    /// - Throws: ``/FirnImage/ImageError`` if the size exceeds the limit,
    ///   or there is no memory.
    init(_ stride: Int, rows: Int, _ run: ProcessingRun) throws {
        self.stride = stride
        let (count, overflow) = stride.multipliedReportingOverflow(by: MemoryLayout<Number>.stride * rows)
        guard !overflow, count <= run.context.limits.maximumResultBytes else {
            throw run.beyond(
                "needs more than \(run.context.limits.maximumResultBytes) bytes to work with", "maximumResultBytes")
        }
        var block: UnsafeMutableRawPointer?
        guard posix_memalign(&block, 64, max(64, count)) == 0, let block else {
            throw ImageError.outOfMemory(bytes: count)
        }
        base = block.bindMemory(to: Number.self, capacity: count / MemoryLayout<Number>.stride)
    }

    deinit { free(base) }

    func row(_ y: Int) -> UnsafeMutablePointer<Number> { base + y * stride }
}
