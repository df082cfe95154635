import FoundationEssentials

/// What a library is to read one after the other: parts of the file, and bytes made up around them.
///
/// A stream may grow at its end between two reads, as the file's bytes come.
struct ByteStream {
    enum Part {
        /// Bytes that do not stand in the file.
        case made(Data)
        /// A range of the file; what of it has not come yet is waited for.
        case file(Range<Int>)
    }

    /// Where reading stands.
    struct Position {
        fileprivate var part = 0
        fileprivate var offset = 0
    }

    var parts: [Part]
    /// Whether no parts will be added.
    var isComplete: Bool

    /// All of the file.
    static let wholeFile = ByteStream(parts: [.file(0..<Int.max)], isComplete: true)

    /// The bytes behind `position`, which is moved behind them, and whether they are the last; `nil` where the next
    /// ones have not come. A file that ended early ends the stream.
    func next(in chain: ByteChain, from position: inout Position) -> (bytes: Data, isLast: Bool)? {
        while position.part < parts.count {
            switch parts[position.part] {
            case .made(let data):
                let rest = data.dropFirst(position.offset)
                position = Position(part: position.part + 1)
                if !rest.isEmpty { return (rest, isEnd(position, chain)) }
            case .file(let range):
                let start = range.lowerBound + position.offset
                let piece = chain.piece(at: start, before: range.upperBound)
                if !piece.isEmpty {
                    position.offset += piece.count
                    if start + piece.count >= range.upperBound { position = Position(part: position.part + 1) }
                    return (piece, isEnd(position, chain))
                }
                if start < range.upperBound {
                    return chain.isFinished ? (Data(), true) : nil
                }
                position = Position(part: position.part + 1)
            }
        }
        return isComplete || chain.isFinished ? (Data(), true) : nil
    }

    /// Whether nothing is left to read at `position`, now or later.
    private func isEnd(_ position: Position, _ chain: ByteChain) -> Bool {
        if position.part >= parts.count { return isComplete || chain.isFinished }
        guard case .file(let range) = parts[position.part] else { return false }
        // A file that has ended before the range's end has nothing more in any later range either, but made bytes may follow.
        return chain.isFinished && range.lowerBound + position.offset >= chain.count
            && position.part == parts.count - 1
    }
}
