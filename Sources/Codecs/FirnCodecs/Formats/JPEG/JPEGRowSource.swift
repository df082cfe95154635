/// Decodes the rows of a JPEG at a small size from a part of its coefficients.
protocol JPEGRowDecoder {
    /// True if the library's previews are shown when the library decodes the file.
    static var hasPreviewsOfLibrary: Bool { get }

    /// The rows of the image that are complete.
    var rows: Int { get }

    /// The number of first bytes of the file that were needed, once complete.
    var bytesNeeded: Int? { get }

    /// Decodes as far as the received bytes allow, or until some more rows are complete.
    mutating func advance(_ chain: ByteChain) -> JPEGOutcome

    /// Writes row `y` of the image, which is complete, at `target`.
    mutating func write(_ y: Int, to target: UnsafeMutableRawPointer, _ layout: SampleLayout)
}

/// The outcome of a step of a ``JPEGRowDecoder``, or of a scan.
enum JPEGOutcome {
    case needsBytes
    /// A pause, in which the caller may check for cancellation. More rows may be complete.
    case more
    /// All rows are complete, or all MCUs of the scan are decoded.
    case end
    /// The file is unusual or damaged. The library decodes it instead.
    case damaged
}

/// The rows of a JPEG from a part of its coefficients; from the library if they cannot be decoded alone.
///
/// If the file turns out to be unusual or damaged, the library decodes from the beginning, to the same size, and the
/// rows that were already returned are skipped.
final class JPEGRowSource<Decoder: JPEGRowDecoder>: RowSource {
    let size: PixelSize
    let layout: SampleLayout
    private var decoder: Decoder
    private var next = 0
    private var isComplete = false
    private let openLibrary: (ByteChain) throws(ImageError) -> (any RowSource)?
    private var library: (any RowSource)?
    /// The number of the library's rows that remain to be skipped.
    private var surplus = 0
    private(set) var bytesNeeded: Int?

    /// - Parameter openLibrary: starts the library's decode for the same request, to the same size.
    init(
        _ decoder: Decoder, size: PixelSize, layout: SampleLayout,
        openLibrary: @escaping (ByteChain) throws(ImageError) -> (any RowSource)?
    ) {
        self.decoder = decoder
        self.size = size
        self.layout = layout
        self.openLibrary = openLibrary
    }

    var hasPreviews: Bool { Decoder.hasPreviewsOfLibrary && library?.hasPreviews ?? false }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        if let library {
            while surplus > 0 {
                // Order: skipped rows are overwritten afterwards.
                let progress = try library.read(chain, into: memory.prefix(surplus))
                surplus -= progress.rows
                if progress.rows == 0 || progress.state != .more { return RowProgress(rows: 0, state: progress.state) }
            }
            return try library.read(chain, into: memory)
        }
        if next < decoder.rows || isComplete { return write(to: memory) }
        switch decoder.advance(chain) {
        case .needsBytes: return RowProgress(rows: 0, state: .needsBytes)
        case .more: break
        case .end:
            isComplete = true
            bytesNeeded = decoder.bytesNeeded
        case .damaged:
            guard let library = try openLibrary(chain) else { return RowProgress(rows: 0, state: .needsBytes) }
            self.library = library
            surplus = next
            return RowProgress(rows: 0, state: .more)
        }
        return write(to: memory)
    }

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> Bool {
        guard hasPreviews else { return false }
        return try library?.preview(chain, into: memory) ?? false
    }

    /// Writes complete rows. The last ones wait for the end of the scan.
    private func write(to memory: RowMemory) -> RowProgress {
        let count = max(0, min(memory.rows, decoder.rows - next))
        for row in 0..<count { decoder.write(next + row, to: memory.base + row * memory.bytesPerRow, layout) }
        next += count
        return RowProgress(rows: count, state: isComplete && next >= size.height ? .end : .more)
    }
}
