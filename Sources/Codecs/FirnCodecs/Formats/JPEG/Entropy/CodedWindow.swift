import FoundationEssentials

/// The next bytes of a stretch of a JPEG's coded data, without stuffed zeros: from a scan's start, or a restart marker,
/// to the next marker.
///
/// Invariants: from bit `bit` on, `bytes[..<end]` are not consumed, and the file's byte at `position` follows them.
/// From `end` on, `bytes` has ``slack`` zeros.
///
/// - Source: ISO/IEC 10918-1 §B.1.1.5.
final class CodedWindow {
    /// The zeros after the bytes: more than a block takes, plus the eight bytes that are read at a time.
    static let slack = 320
    private static let capacity = WindowBytes.count - slack

    private let bytes = WindowBytes()
    /// The next bit: eight times its byte, plus its place in it.
    private(set) var bit = 0
    private(set) var end = 0
    /// The offset in the file of the byte after the window.
    private(set) var position: Int
    /// True if a marker stands at `position`.
    private(set) var isAtMarker = false
    /// A byte of the window and its offset in the file, from which those of later bytes are counted; `nil` unless
    /// ``place`` is asked for.
    private var anchor: (byte: Int, offset: Int)?

    /// Starts at an offset of the file.
    init(at position: Int) {
        self.position = position
    }

    deinit { bytes.deallocate() }

    /// Starts again at another offset.
    func restart(at position: Int) {
        bit = 0
        end = 0
        isAtMarker = false
        self.position = position
    }

    /// Counts the window's bytes in the file from here on, so that ``place`` is known. The window is empty.
    func followPlaces() { anchor = (0, position) }

    /// The next bit's place in the file: eight times the offset of its byte, plus its place in that; `nil` if it is not
    /// known.
    var place: Int? {
        moveAnchor(to: bit >> 3)
        return anchor.map { $0.offset * 8 + bit & 7 }
    }

    /// Moves the anchor forward. Each FF among the bytes is followed by a stuffed zero in the file.
    private func moveAnchor(to byte: Int) {
        guard let (old, offset) = anchor else { return }
        anchor = byte >= old && byte <= end ? (byte, offset + byte - old + bytes.stuffed(old..<byte)) : nil
    }

    /// Forgets the anchor unless the bytes from it on end at `position`; they do not if fill bytes are among them.
    func checkAnchor() {
        guard let (byte, offset) = anchor else { return }
        if offset + end - byte + bytes.stuffed(byte..<end) != position { anchor = nil }
    }

    /// True if more bits remain than those that fill the last byte.
    var hasBytesLeft: Bool { end * 8 - bit >= 8 }

    /// True if bits beyond the end were consumed.
    var isOverrun: Bool { bit > end * 8 }

    /// Looks for the marker that ends the stretch; returns `false` if more bytes must arrive first, or other data
    /// follow.
    func reachMarker(_ chain: ByteChain) -> Bool {
        _ = prepare(2, chain)
        return isAtMarker && !hasBytesLeft
    }

    /// Moves from the stretch's end past restart marker `number`; returns `false` if another marker is there.
    func passRestart(_ number: Int, in chain: ByteChain) -> Bool {
        guard chain.byte(at: position + 1) == 0xD0 + UInt8(truncatingIfNeeded: number & 7) else { return false }
        restart(at: position + 2)
        return true
    }

    /// Returns a cursor at the next bit. It is valid until the window is filled again.
    func bits() -> CodedBits { CodedBits(bytes, bit: bit, limit: min(end, CodedWindow.capacity)) }

    /// Consumes the bits before a cursor.
    func take(_ bits: CodedBits) { bit = max(bit, bits.position) }

    /// Fills the window, unless `count` bytes are there; returns `false` if fewer have arrived and no marker follows.
    func prepare(_ count: Int, _ chain: ByteChain) -> Bool {
        let next = min(bit >> 3, end)
        if end - next >= count || isAtMarker { return true }
        moveAnchor(to: next)
        checkAnchor()
        bytes.move(next..<end)
        anchor?.byte = 0
        bit -= next * 8
        end -= next
        while !isAtMarker, end < CodedWindow.capacity {
            let piece = chain.piece(at: position, before: position + CodedWindow.capacity - end)
            guard !piece.isEmpty else { break }
            let (read, written) = bytes.unstuff(piece.bytes, to: end)
            position += read
            end += written
            if read == piece.count { continue }
            // At an FF that is not followed by a stuffed zero in this piece.
            guard let code = chain.byte(at: position + 1) else { break }
            switch code {
            case 0:
                bytes.set(0xFF, at: end)
                end += 1
                position += 2
            case 0xFF: position += 1
            default: isAtMarker = true
            }
        }
        bytes.clear(end..<end + CodedWindow.slack)
        return isAtMarker || end >= count
    }
}
