import FirnSystem
internal import FirnImage

/// The intermediate rows between two passes over an image.
///
/// Safety: one thread at a time accesses each row, or each column.
final class WorkingMemory<Number>: @unchecked Sendable where Number: BitwiseCopyable {
    let base: UnsafeMutablePointer<Number>
    /// Numbers from the start of one row to that of the next.
    private let stride: Int

    /// - Throws: ``/FirnImage/ImageProcessingError`` if the size exceeds the limit,
    ///   ``BitmapError/outOfMemory(bytes:)``.
    init(_ stride: Int, rows: Int, _ run: ProcessingRun) throws {
        self.stride = stride
        let (count, overflow) = stride.multipliedReportingOverflow(by: MemoryLayout<Number>.stride * rows)
        guard !overflow, count <= run.context.limits.maximumResultBytes else {
            throw run.beyond("needs more than \(run.context.limits.maximumResultBytes) bytes to work with")
        }
        var block: UnsafeMutableRawPointer?
        guard posix_memalign(&block, 64, max(64, count)) == 0, let block else {
            throw BitmapError.outOfMemory(bytes: count)
        }
        base = block.bindMemory(to: Number.self, capacity: count / MemoryLayout<Number>.stride)
    }

    deinit { free(base) }

    func row(_ y: Int) -> UnsafeMutablePointer<Number> { base + y * stride }
}
