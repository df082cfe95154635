import FoundationEssentials

/// The bytes of a file in the pieces in which they arrived, so that a second session can be opened over them.
///
/// Pieces are retained, not copied. Only very small ones are joined, so that a file that arrives byte by byte does not
/// cost a reference per byte.
struct ReceivedBytes {
    /// Shorter pieces are joined.
    private static let smallPiece = 4096
    /// The length at which a joined piece is closed.
    private static let gatheredPiece = 64 << 10

    private(set) var pieces: [DecoderPiece] = []
    private var lastIsGathered = false

    /// Adds the next bytes.
    mutating func append(_ piece: DecoderPiece) {
        guard case .data(let data) = piece, data.count < ReceivedBytes.smallPiece else {
            pieces.append(piece)
            lastIsGathered = false
            return
        }
        if lastIsGathered, case .data(var gathered)? = pieces.last, gathered.count < ReceivedBytes.gatheredPiece {
            // Order: removed first, so that appending does not copy the joined piece.
            pieces.removeLast()
            gathered.append(data)
            pieces.append(.data(gathered))
        } else {
            pieces.append(.data(ReceivedBytes.copy(data)))
            lastIsGathered = true
        }
    }

    /// Returns a copy of the bytes.
    static func copy(_ data: Data) -> Data { data.withUnsafeBytes { Data($0) } }
}
