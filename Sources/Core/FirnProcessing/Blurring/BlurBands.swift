import CFirnProcessing
import FirnSystem

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
