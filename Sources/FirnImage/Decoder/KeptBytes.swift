import FoundationEssentials

/// A file's bytes as they came, so that a second session can be opened over them.
///
/// Pieces are held, not copied, and never joined into one: only runs of very small ones are gathered, so that a file
/// that comes byte by byte does not cost a reference a byte.
struct KeptBytes {
    /// Pieces below this are gathered.
    private static let smallPiece = 4096
    /// A gathered piece is closed at this length.
    private static let gatheredPiece = 64 << 10

    private(set) var pieces: [DecoderPiece] = []
    private var lastIsGathered = false

    /// Keeps the next bytes.
    mutating func append(_ piece: DecoderPiece) {
        guard case .data(let data) = piece, data.count < KeptBytes.smallPiece else {
            pieces.append(piece)
            lastIsGathered = false
            return
        }
        if lastIsGathered, case .data(var gathered)? = pieces.last, gathered.count < KeptBytes.gatheredPiece {
            // Order: taken out first, so that appending does not copy what was gathered.
            pieces.removeLast()
            gathered.append(data)
            pieces.append(.data(gathered))
        } else {
            pieces.append(.data(KeptBytes.copy(data)))
            lastIsGathered = true
        }
    }

    /// The same bytes in memory of their own.
    static func copy(_ data: Data) -> Data {
        data.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return Data() }
            return Data(bytes: base, count: bytes.count)
        }
    }
}
