import FirnImage

/// The rows of a sequential JPEG at an eighth or a quarter, mostly from its lowest coefficients, otherwise from the
/// library. At an eighth both give the same pixels.
///
/// If the file turns out to be unusual or damaged, the library decodes from the beginning, and the rows that were
/// already returned are skipped.
final class BaselineRowSource: RowSource {
    let size: PixelSize
    let layout: SampleLayout
    let isWhole = false
    private var decoder: BaselineDecoder
    private var next = 0
    private var isComplete = false
    private let openLibrary: (ByteChain) throws(ImageDecodingError) -> (any RowSource)?
    private var library: (any RowSource)?
    /// The number of the library's rows that remain to be skipped.
    private var surplus = 0
    private(set) var bytesNeeded: Int?

    /// - Parameter openLibrary: starts the library's decode for the same request, to the same size.
    init(
        _ frame: JPEGFrame, parts: Int, layout: SampleLayout, isRGB: Bool, sharing: BaselineSharing,
        openLibrary: @escaping (ByteChain) throws(ImageDecodingError) -> (any RowSource)?
    ) {
        size = frame.size(parts: parts)
        self.layout = layout
        decoder = BaselineDecoder(frame, parts: parts, isRGB: isRGB, sharing: sharing)
        self.openLibrary = openLibrary
    }

    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int
    ) throws(ImageDecodingError) -> RowProgress {
        if let library {
            while surplus > 0 {
                // Order: the target has room for `rows` rows; skipped rows are overwritten afterwards.
                let progress = try library.read(
                    chain, into: base, bytesPerRow: bytesPerRow, rows: min(rows, surplus))
                surplus -= progress.rows
                if progress.rows == 0 || progress.state != .more { return RowProgress(rows: 0, state: progress.state) }
            }
            return try library.read(chain, into: base, bytesPerRow: bytesPerRow, rows: rows)
        }
        if next < decoder.rows || isComplete { return write(to: base, bytesPerRow: bytesPerRow, rows: rows) }
        switch decoder.advance(chain) {
        case .needsBytes: return RowProgress(rows: 0, state: .needsBytes)
        case .more: break
        case .complete:
            isComplete = true
            bytesNeeded = decoder.bytesNeeded
        case .unsuitable:
            guard let library = try openLibrary(chain) else { return RowProgress(rows: 0, state: .needsBytes) }
            self.library = library
            surplus = next
            return RowProgress(rows: 0, state: .more)
        }
        return write(to: base, bytesPerRow: bytesPerRow, rows: rows)
    }

    /// Writes complete rows. The last ones wait for the end of the scan.
    private func write(to base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int) -> RowProgress {
        let count = max(0, min(rows, decoder.rows - next))
        for row in 0..<count { decoder.write(next + row, to: base + row * bytesPerRow, layout) }
        next += count
        return RowProgress(rows: count, state: isComplete && next >= size.height ? .end : .more)
    }
}
