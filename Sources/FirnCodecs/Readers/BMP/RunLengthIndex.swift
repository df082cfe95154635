import FirnImage

/// Where the rows of a run-length encoded bitmap begin, so that rows that are stored from the bottom can be given from
/// the top without an image in memory.
///
/// Data structure: rows, as stored, are grouped into strips of equal height, at most 4,096 of them; of each strip is kept the
/// walk as it stood when it first came to the strip's rows or beyond. A strip is decoded by going on from there.
///
/// Invariant: `starts[i].row >= i * rowsPerStrip`.
struct RunLengthIndex {
    private static let strips = 4_096
    private static let codesAtOnce = 1 << 20

    /// Rows of a strip; the last may have fewer.
    let rowsPerStrip: Int
    private var starts: [RunLengthCodes]
    private var walk: RunLengthCodes
    /// Whether the walk has come to its end.
    private(set) var isComplete = false
    private let height: Int

    init(_ header: DIBHeader) {
        height = header.size.height
        rowsPerStrip = max(16, (height - 1) / RunLengthIndex.strips + 1)
        walk = RunLengthCodes(header)
        starts = [walk]
    }

    /// Rows, as stored, that no further byte changes.
    var rowsReached: Int { isComplete ? height : min(walk.row, height) }

    /// Offset behind the last code looked at.
    var position: Int { walk.position }

    /// Walks on.
    ///
    /// - Returns: what a reader of rows does next: go on, pause, or wait.
    mutating func go(_ chain: ByteChain) -> RowProgress.State? {
        guard !isComplete else { return nil }
        for _ in 0..<RunLengthIndex.codesAtOnce {
            switch walk.step(chain) {
            case .done:
                while starts.count * rowsPerStrip <= walk.row, starts.count * rowsPerStrip < height {
                    starts.append(walk)
                }
            case .end:
                isComplete = true
                return nil
            case .needsBytes:
                // Some writers leave out the code for the image's end.
                isComplete = walk.isFull && chain.isFinished
                return isComplete ? nil : .needsBytes
            }
        }
        return .more
    }

    /// Decodes a strip as far as the walk has come; rows without codes stay as they are.
    ///
    /// - Parameter target: zeros; a byte a pixel (three with 24 bits), rows packed.
    func decode(strip: Int, _ chain: ByteChain, to target: UnsafeMutableBufferPointer<UInt8>) {
        guard strip >= 0, strip < starts.count else { return }
        var walk = starts[strip]
        let first = strip * rowsPerStrip
        while walk.row < first + rowsPerStrip, walk.step(chain, first: first, target) == .done {}
    }
}
