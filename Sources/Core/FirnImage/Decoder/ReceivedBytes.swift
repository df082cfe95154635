import FirnSync
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

/// A part of a file: bytes, or a source to read them from.
enum DecoderPiece: Sendable {
    case data(Data)
    case source(any ByteSource)

    var count: Int {
        switch self {
        case .data(let data): data.count
        case .source(let source): max(0, source.count)
        }
    }

    /// Returns the first bytes, at most `count`.
    func prefix(_ count: Int) throws(ImageDecodingError) -> Data {
        switch self {
        case .data(let data): return data.prefix(count)
        case .source(let source):
            do {
                return try source.read(at: 0, count: min(count, self.count))
            } catch {
                throw ImageDecodingError(.data, "cannot read the file: \(error)")
            }
        }
    }

    /// Appends the part to a session.
    func feed(_ session: any ImageDecodingSession) throws(ImageDecodingError) {
        switch self {
        case .data(let data): try session.append(data)
        case .source(let source): try session.append(contentsOf: source)
        }
    }
}
