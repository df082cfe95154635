import FoundationEssentials
import FirnSync

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
