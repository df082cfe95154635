import CFirnCodecs
import FirnSync

/// The rows of one image as a worker delivers them: some at a time in the strip, or all in a surface.
///
/// Invariant: rows `taken..<available` of `base` are decoded and not copied yet; `done` rows came before those.
final class WorkerRows {
    /// The bytes of the strip.
    static let stripLength = FIRN_ARENA_STRIP
    /// The bytes of a surface for rows that are longer than the strip.
    private static let surfaceLength = 4 << 20

    /// The worker's description of its output, checked.
    let output: firn_output
    var height: Int { Int(output.height) }
    /// True if rows are written all over the image.
    var isWhole: Bool { output.whole }
    private let rowBytes: Int
    /// The memory of a whole image, or of long rows.
    private(set) var surface: SharedMemory?
    /// True if the last read needs bytes.
    var needsBytes = false
    private var isAtEnd = false
    private var base: UnsafeRawPointer?
    private var stride = 0
    private var copied = 0
    private var available = 0
    private var done = 0

    /// - Returns: `nil` if the output breaks a limit.
    init?(_ output: firn_worker_output, layout: firn_layout, _ limits: ImageLimits) {
        let (pixels, overflow) = Int(output.width).multipliedReportingOverflow(by: Int(output.height))
        guard output.width > 0, output.height > 0, !overflow, pixels <= limits.maximumPixels else { return nil }
        let bytesPerPixel = SampleLayout.allCases.first { $0.library == layout }?.bytesPerPixel ?? 4
        // A side has 32 bits.
        rowBytes = Int(output.width) * bytesPerPixel
        self.output = firn_output(
            width: output.width, height: output.height, whole: output.whole != 0, in_order: output.in_order != 0,
            previews: output.previews != 0, restarts: output.restarts != 0, bytes_needed: output.bytes_needed,
            area: output.area)
        guard wholeLength <= max(limits.maximumResultBytes, WorkerRows.stripLength) || !isWhole,
            rowBytes <= limits.maximumRowBytes || isWhole
        else { return nil }
    }

    /// The distance of the rows of a surface of the whole image.
    var wholeStride: Int { (rowBytes + 63) / 64 * 64 }

    /// The bytes of the whole image.
    var wholeLength: Int { wholeStride.saturatingMultiply(height) }

    // MARK: The surface

    private var isLong: Bool { wholeStride > WorkerRows.stripLength }

    /// True if the rows need a surface that does not exist yet.
    var needsSurface: Bool { surface == nil && (isWhole || isLong) }

    var surfaceStride: Int { surface == nil ? 0 : wholeStride }

    /// The rows that the surface holds.
    var surfaceRows: Int {
        isWhole ? height : isLong ? max(1, min(height, WorkerRows.surfaceLength / wholeStride)) : 0
    }

    /// Makes the memory; `nil` if there is none.
    func makeSurface() -> SharedMemory? {
        let (length, overflow) = wholeStride.multipliedReportingOverflow(by: surfaceRows)
        surface = overflow ? nil : SharedMemory(length: length)
        return surface
    }

    // MARK: Rows

    /// Takes the rows of a reply.
    ///
    /// - Throws: ``WorkerEnd/nonsense`` if they are more than there can be.
    func take(_ reply: firn_worker_reply, from strip: UnsafeRawPointer, isEnd: Bool) throws(WorkerEnd) {
        let count = Int(reply.done)
        isAtEnd = isEnd
        if isWhole {
            guard count <= height else { throw .nonsense }
            done = max(done, count)
            return
        }
        guard count <= height - done else { throw .nonsense }
        if let surface {
            guard count <= surfaceRows else { throw .nonsense }
            (base, stride) = (UnsafeRawPointer(surface.base), wholeStride)
        } else if count > 0 {
            guard let distance = Int(exactly: reply.stride), distance >= rowBytes,
                distance <= WorkerRows.stripLength, count <= WorkerRows.stripLength / distance
            else { throw .nonsense }
            (base, stride) = (strip, distance)
        }
        (copied, available) = (0, count)
        done += count
    }

    /// The bytes of the strip that the rows of the last reply take; `nil` if they are in a surface.
    var stripBytes: Int? { isWhole || surface != nil ? nil : available * stride }

    /// True if all rows have been copied, and no more come.
    var hasEnded: Bool { isAtEnd && copied == available }

    /// Copies at most `rows` rows and returns their number.
    func copy(to target: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int) -> Int {
        guard let base, rows > 0, copied < available else { return 0 }
        let count = min(rows, available - copied)
        copyRows(from: base + copied * stride, stride: stride, to: target, bytesPerRow: bytesPerRow, 0..<count)
        copied += count
        return count
    }

    /// Copies the image as far as it is decoded, and returns the rows complete from the top.
    func copyWhole(to target: UnsafeMutableRawPointer, bytesPerRow: Int) -> Int {
        guard let surface else { return 0 }
        // Order: rows that are complete are copied once, because the receiver converts them in place.
        let rows = copied..<(output.in_order ? done : height)
        copyRows(from: surface.base, stride: wholeStride, to: target, bytesPerRow: bytesPerRow, rows)
        (copied, available) = (done, done)
        return done
    }

    /// Copies rows to the same rows of `target`.
    func copyRows(
        from source: UnsafeRawPointer, stride: Int, to target: UnsafeMutableRawPointer, bytesPerRow: Int,
        _ rows: Range<Int>
    ) {
        for row in rows {
            (target + row * bytesPerRow).copyMemory(from: source + row * stride, byteCount: min(rowBytes, bytesPerRow))
        }
    }
}
