import FoundationEssentials

/// A cursor over the bits of a ``CodedWindow``.
///
/// Invariants: the `count` highest bits of `held` are the next ones; `offset` is that of the byte after them. The lower
/// bits of `held` are the following ones, or 0.
///
/// The caller checks ``isInside`` before each block. A block takes less than the window's slack, so the bits after the
/// window's end are 0.
struct CodedBits {
    /// More than the bytes of a block: a difference of 27 bits, and 63 coefficients, each of at most 16 + 15 bits.
    static let bytesOfBlock = CodedWindow.slack - 64

    private let bytes: WindowBytes
    private let limit: Int
    private(set) var offset: Int
    private var held: UInt64 = 0
    private var count = 0

    init(_ bytes: WindowBytes, bit: Int, limit: Int) {
        self.bytes = bytes
        self.limit = limit
        offset = bit >> 3
        guard isInside else { return }
        fill()
        skip(bit & 7)
    }

    /// The number of the next bit, from the window's start.
    var position: Int { offset * 8 - count }

    /// True if the window has all bytes of a block, or zeros in place of those after its end.
    @inline(__always)
    var isInside: Bool { offset <= limit + 8 }

    /// Adds bits, so that at least 56 are held.
    @inline(__always)
    mutating func fill() {
        held |= bytes.word(at: offset) &>> UInt64(truncatingIfNeeded: count)
        offset &+= (63 &- count) &>> 3
        count |= 56
    }

    /// Returns the next bits, 1 to 16, without consuming them.
    @inline(__always)
    func peek(_ bits: Int) -> Int { Int(truncatingIfNeeded: held &>> UInt64(truncatingIfNeeded: 64 &- bits)) }

    /// Consumes held bits.
    @inline(__always)
    mutating func skip(_ bits: Int) {
        held &<<= UInt64(truncatingIfNeeded: bits)
        count &-= bits
    }

    /// Consumes a signed number of 0 to 15 bits.
    @inline(__always)
    mutating func number(_ bits: Int) -> Int {
        guard bits > 0 else { return 0 }
        let value = peek(bits)
        skip(bits)
        // The lower half of the values of that many bits is negative (table F.1).
        return value < 1 &<< (bits &- 1) ? value &- (1 &<< bits) &+ 1 : value
    }
}

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

    /// Starts to track file offsets, so that ``place`` is known. Requires an empty window.
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

    /// Drops the anchor unless the bytes after it end at `position`. They do not if fill bytes are among them.
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

/// The memory of a ``CodedWindow``, for loops without reference counts. The window allocates it and releases it.
///
/// Safety: each access is checked, or its offset counts modulo ``count``. The window outlives all cursors.
struct WindowBytes {
    static let count = 1 << 16

    /// ``count`` bytes, and those of a word that begins with the last one of them.
    private let memory: UnsafeMutableRawBufferPointer

    init() {
        memory = .allocate(byteCount: WindowBytes.count + 8, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    func deallocate() { memory.deallocate() }

    /// Returns the eight bytes from `offset` on, the first one highest.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        UInt64(
            bigEndian: memory.baseAddress.unsafelyUnwrapped.loadUnaligned(
                fromByteOffset: offset & (WindowBytes.count - 1), as: UInt64.self))
    }

    func set(_ byte: UInt8, at offset: Int) {
        var bytes = memory.mutableBytes
        bytes.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }

    /// Moves a range of bytes, as far as it is inside, to the start.
    func move(_ range: Range<Int>) {
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[range.clamped(to: 0..<WindowBytes.count)]))
    }

    /// Sets a range of bytes, as far as it is inside, to 0.
    func clear(_ range: Range<Int>) {
        UnsafeMutableRawBufferPointer(rebasing: memory[range.clamped(to: 0..<WindowBytes.count)])
            .initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Returns the number of FF in a range of bytes, as far as it is inside.
    func stuffed(_ range: Range<Int>) -> Int {
        memory[range.clamped(to: 0..<WindowBytes.count)].reduce(0) { $1 == 0xFF ? $0 &+ 1 : $0 }
    }

    /// Copies coded data without stuffed zeros to `start`, up to an FF that no zero follows. Up to 31 bytes after
    /// those written may change.
    ///
    /// Requires a little-endian machine, as all that Swift supports on Linux are.
    func unstuff(_ source: RawSpan, to start: Int) -> (read: Int, written: Int) {
        var target = memory.mutableBytes
        var read = 0
        var place = start
        while true {
            var isFound = false
            while source.byteCount - read >= WindowBytes.step, target.byteCount - place >= WindowBytes.step {
                let bytes = source.unsafeLoadUnaligned(fromByteOffset: read, as: SIMD4<UInt64>.self)
                target.storeBytes(of: bytes, toByteOffset: place, as: SIMD4<UInt64>.self)
                let found = WindowBytes.firstFF(bytes)
                read += found ?? WindowBytes.step
                place += found ?? WindowBytes.step
                isFound = found != nil
                if isFound { break }
            }
            while !isFound, read < source.byteCount {
                let byte = source.byte(at: read)
                isFound = byte == 0xFF
                if isFound { break }
                target.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
                read += 1
                place += 1
            }
            guard source.byteCount - read >= 2, source.byte(at: read + 1) == 0 else {
                return (read, place - start)
            }
            target.storeBytes(of: 0xFF, toByteOffset: place, as: UInt8.self)
            read += 2
            place += 1
        }
    }

    /// The bytes that are copied and searched at a time.
    private static let step = 32

    /// Returns the place of the first FF in `bytes`, of which each word has eight, the first one lowest; `nil` if there
    /// is none.
    ///
    /// - Source: Warren, Hacker's Delight, §6-1: the lowest bit found belongs to the first zero, here of the
    ///   complement.
    @inline(__always)
    private static func firstFF(_ bytes: SIMD4<UInt64>) -> Int? {
        let complement = bytes ^ SIMD4(repeating: ~0)
        let found =
            (complement &- SIMD4(repeating: 0x0101_0101_0101_0101)) & bytes & SIMD4(repeating: 0x8080_8080_8080_8080)
        guard (found[0] | found[1]) | (found[2] | found[3]) != 0 else { return nil }
        if found[0] != 0 { return found[0].trailingZeroBitCount / 8 }
        if found[1] != 0 { return 8 + found[1].trailingZeroBitCount / 8 }
        return found[2] != 0 ? 16 + found[2].trailingZeroBitCount / 8 : 24 + found[3].trailingZeroBitCount / 8
    }
}
