/// An index of the rows of a run-length encoded bitmap, so that rows stored from the bottom can be returned from the
/// top without an image in memory.
///
/// Data structure: rows, in stored order, are grouped into at most 4,096 strips of equal height. For each strip, the
/// index stores the state of the walk when it first reached the strip's rows or later ones. Decoding a strip resumes
/// from that state.
///
/// Invariant: `starts[i].row >= i * rowsPerStrip`.
struct RunLengthIndex {
    private static let strips = 4_096
    private static let codesAtOnce = 1 << 20

    /// The rows of a strip; the last may have fewer.
    let rowsPerStrip: Int
    private var starts: [RunLengthCodes]
    private var walk: RunLengthCodes
    /// True if the walk has ended.
    private(set) var isComplete = false
    private let height: Int

    init(_ header: DIBHeader) {
        height = header.size.height
        rowsPerStrip = max(16, (height - 1) / RunLengthIndex.strips + 1)
        walk = RunLengthCodes(header)
        starts = [walk]
    }

    /// The number of rows, in stored order, that no further byte changes.
    var rowsReached: Int { isComplete ? height : min(walk.row, height) }

    /// The offset after the last code read.
    var position: Int { walk.position }

    /// Continues the walk.
    ///
    /// - Returns: the state that the row source returns; `nil` once the walk is complete.
    mutating func advance(_ chain: ByteChain) -> RowProgress.State? {
        guard !isComplete else { return nil }
        for _ in 0..<RunLengthIndex.codesAtOnce {
            switch walk.step(chain) {
            case .more:
                while starts.count * rowsPerStrip <= walk.row, starts.count * rowsPerStrip < height {
                    starts.append(walk)
                }
            case .end:
                isComplete = true
                return nil
            case .needsBytes:
                // Some writers omit the end-of-image code.
                isComplete = walk.isFull && chain.isFinished
                return isComplete ? nil : .needsBytes
            }
        }
        return .more
    }

    /// Decodes a strip as far as the walk has reached; rows without codes stay unchanged.
    ///
    /// - Parameter target: zeroed; one byte per pixel (three with 24 bits), rows packed.
    func decode(strip: Int, _ chain: ByteChain, to target: inout MutableSpan<UInt8>) {
        guard strip >= 0, strip < starts.count else { return }
        var walk = starts[strip]
        let first = strip * rowsPerStrip
        while walk.row < first + rowsPerStrip, walk.step(chain, first: first, &target) == .more {}
    }
}
