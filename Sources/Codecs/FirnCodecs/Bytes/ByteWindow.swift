import FoundationEssentials

/// Reads single bytes of a chain that are close together, without a search for each.
///
/// Invariant: `bytes` are those of the file from `start` on.
struct ByteWindow {
    private static let length = 1 << 16

    private var bytes: [UInt8] = []
    private var start = 0

    /// Returns the byte at `offset`; `nil` if it has not been received.
    mutating func byte(at offset: Int, in chain: ByteChain) -> UInt8? {
        let place = offset &- start
        if place >= 0, place < bytes.count { return bytes[place] }
        guard offset >= 0, offset < chain.count else { return nil }
        let piece = chain.piece(at: offset, before: offset + min(ByteWindow.length, chain.count - offset))
        // The codes in them are few bytes each, and take longer than a copy.
        guard chain.watch.count(piece.count >> 9) else { return nil }
        bytes = Array(piece)
        start = offset
        return bytes.first
    }
}
