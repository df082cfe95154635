import FoundationEssentials

/// The pieces of a file in order.
struct LibraryInput {
    /// What has come so far.
    private(set) var pieces: [Data] = []
    /// Whether nothing more will come.
    private(set) var isFinished = false

    /// Adds the next piece.
    mutating func append(_ data: Data) {
        if !data.isEmpty { pieces.append(data) }
    }

    /// Says that nothing more will come.
    mutating func finish() { isFinished = true }

    /// Puts all pieces into one, for the libraries that read a file back and forth.
    mutating func join() {
        guard pieces.count > 1 else { return }
        var whole = Data(capacity: pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { whole.append(piece) }
        pieces = [whole]
    }

    /// Whether nothing comes behind the first `count` pieces.
    func ends(behind count: Int) -> Bool { isFinished && count >= pieces.count }
}
