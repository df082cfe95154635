import FirnSystem
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
    private static let capacity = 64 << 10

    private let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: CodedWindow.capacity + CodedWindow.slack, alignment: 64)
    /// The next bit: eight times its byte, plus its place in it.
    private(set) var bit = 0
    private(set) var end = 0
    /// The offset in the file of the byte after the window.
    private(set) var position: Int
    /// Whether a marker stands at `position`.
    private(set) var isAtMarker = false

    /// Starts at an offset of the file.
    init(at position: Int) {
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
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

    /// Whether more bits remain than those that fill the last byte.
    var hasBytesLeft: Bool { end * 8 - bit >= 8 }

    /// Whether bits beyond the end were consumed.
    var isOverrun: Bool { bit > end * 8 }

    /// Returns a cursor at the next bit. It is valid until the window is filled again.
    func bits() -> CodedBits {
        CodedBits(
            UnsafeRawBufferPointer(bytes), bit: bit, limit: min(end, CodedWindow.capacity))
    }

    /// Consumes the bits before a cursor.
    func take(_ bits: CodedBits) { bit = max(bit, bits.position) }

    /// Fills the window, unless `count` bytes are there; returns `false` if fewer have arrived and no marker follows.
    func prepare(_ count: Int, _ chain: ByteChain) -> Bool {
        let next = min(bit >> 3, end)
        if end - next >= count || isAtMarker { return true }
        guard let base = bytes.baseAddress else { return false }
        let rest = end - next
        memmove(base, base + next, rest)
        bit -= next * 8
        end = rest
        while !isAtMarker, end < CodedWindow.capacity {
            let piece = chain.piece(at: position, before: position + CodedWindow.capacity - end)
            guard !piece.isEmpty else { break }
            let (read, written) = piece.withUnsafeBytes { CodedWindow.unstuff($0, to: base + end) }
            position += read
            end += written
            if read == piece.count { continue }
            // At an FF that is not followed by a stuffed zero in this piece.
            guard let code = chain.byte(at: position + 1) else { break }
            switch code {
            case 0:
                bytes[end] = 0xFF
                end += 1
                position += 2
            case 0xFF: position += 1
            default: isAtMarker = true
            }
        }
        memset(base + end, 0, CodedWindow.slack)
        return isAtMarker || end >= count
    }

    /// Copies coded data without stuffed zeros, up to an FF that no zero follows.
    private static func unstuff(
        _ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer
    ) -> (read: Int, written: Int) {
        guard let base = source.baseAddress else { return (0, 0) }
        var read = 0
        var written = 0
        while read < source.count {
            let left = source.count - read
            let plain = memchr(base + read, 0xFF, left).map { UnsafeRawPointer($0) - (base + read) } ?? left
            memcpy(target + written, base + read, plain)
            read += plain
            written += plain
            guard left - plain >= 2, source[read + 1] == 0 else { break }
            target.storeBytes(of: 0xFF, toByteOffset: written, as: UInt8.self)
            written += 1
            read += 2
        }
        return (read, written)
    }
}
