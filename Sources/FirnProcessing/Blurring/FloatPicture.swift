import Glibc
internal import FirnImage

/// A whole picture as floats, multiplied by alpha: where bytes would lose too much in between.
///
/// Safety: each row, or column, is touched by one thread at a time.
final class FloatPicture: @unchecked Sendable {
    let base: UnsafeMutablePointer<Float>
    let size: PixelSize
    /// Floats from the start of one row to that of the next: a multiple of 16.
    let stride: Int

    /// - Throws: ``/FirnImage/ImageProcessingError`` if it is beyond the limit, ``BitmapError/outOfMemory(bytes:)``.
    init(_ size: PixelSize, _ run: ProcessingRun) throws {
        stride = (4 * size.width + 15) & ~15
        self.size = size
        let (count, overflow) = stride.multipliedReportingOverflow(by: 4 * size.height)
        guard !overflow, count <= run.context.limits.maximumBytes else {
            throw ImageProcessingError(
                .limit, in: run.name,
                "a picture of \(size) pixels needs more than \(run.context.limits.maximumBytes) bytes to work with")
        }
        var block: UnsafeMutableRawPointer?
        guard posix_memalign(&block, 64, max(64, count)) == 0, let block else {
            throw BitmapError.outOfMemory(bytes: count)
        }
        base = block.bindMemory(to: Float.self, capacity: count / 4)
    }

    deinit { free(base) }

    func row(_ y: Int) -> UnsafeMutablePointer<Float> { base + y * stride }
}
