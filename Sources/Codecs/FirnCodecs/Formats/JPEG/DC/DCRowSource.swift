import FirnImage

/// The rows of a progressive JPEG at an eighth, from its DC coefficients; from the library if they cannot be decoded
/// alone.
///
/// All rows are available at once, when enough of the file has arrived. The library handles unusual or damaged files:
/// it then decodes from the beginning, to the same size.
final class DCRowSource: RowSource {
    let size: PixelSize
    let layout: SampleLayout
    let isWhole = false
    private let isRGB: Bool
    private var decoder = DCDecoder()
    private var rows: DCRows?
    private var next = 0
    private let openLibrary: (ByteChain) throws(ImageDecodingError) -> (any RowSource)?
    private var library: (any RowSource)?
    private(set) var bytesNeeded: Int?

    /// - Parameter openLibrary: starts the library's decode for the same request, to the same size.
    init(
        _ frame: JPEGFrame, layout: SampleLayout, isRGB: Bool,
        openLibrary: @escaping (ByteChain) throws(ImageDecodingError) -> (any RowSource)?
    ) {
        size = frame.eighthSize
        self.layout = layout
        self.isRGB = isRGB
        self.openLibrary = openLibrary
    }

    /// Returns the bytes held while the coefficients of `frame` are read: two for each block, one for its sample,
    /// the window and tables.
    static func workingBytes(for frame: JPEGFrame) -> Int {
        let blocks = frame.components.reduce(0) { $0 + $1.paddedBlocksWide * $1.paddedBlocksHigh }
        return blocks * 3 + 128 << 10
    }

    var hasPreviews: Bool { library?.hasPreviews ?? false }

    func read(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int
    ) throws(ImageDecodingError) -> RowProgress {
        if let library { return try library.read(chain, into: base, bytesPerRow: bytesPerRow, rows: rows) }
        guard self.rows == nil else { return write(to: base, bytesPerRow: bytesPerRow, rows: rows) }
        switch decoder.advance(chain) {
        case .needsBytes: return RowProgress(rows: 0, state: .needsBytes)
        case .pause: return RowProgress(rows: 0, state: .more)
        case .complete:
            bytesNeeded = decoder.bytesNeeded
            self.rows = decoder.takeRows(isRGB: isRGB)
            return RowProgress(rows: 0, state: .more)
        case .unsuitable:
            guard let library = try openLibrary(chain) else { return RowProgress(rows: 0, state: .needsBytes) }
            self.library = library
            return RowProgress(rows: 0, state: .more)
        }
    }

    func preview(
        _ chain: ByteChain, into base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) throws(ImageDecodingError) -> Bool {
        try library?.preview(chain, into: base, bytesPerRow: bytesPerRow) ?? false
    }

    /// Writes rows. Order: only once `rows` is set.
    private func write(to base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int) -> RowProgress {
        let count = min(rows, size.height - next)
        for row in 0..<max(count, 0) {
            self.rows?.write(next + row, to: base + row * bytesPerRow, layout)
        }
        next += max(count, 0)
        return RowProgress(rows: max(count, 0), state: next < size.height ? .more : .end)
    }
}
