import FoundationEssentials

/// Decodes the LZW codes of a GIF: 3 to 12 bits, least significant bit first, with a table that grows with every code.
///
/// Any split of the bytes gives the same indices.
///
/// Data structure: an entry of the table is a string of indices. It holds the last 1 to 8 of them in one word; the
/// others, a multiple of 8, are the string of the entry `prefix`. So a string is written from its end in steps of 8
/// indices, and most strings in one step.
///
/// Indices have 8 bits: if codes begin with more than 9, single indices above 255 are cut to their low byte.
///
/// Invariants: entry `c` names only entries below `c`; its length is one more than that of the entry that it was made
/// from, so at most 4,093; entries from `next` on are never read.
///
/// Safety: every access to bytes, indices and table is checked. The table has 4,096 entries and a code at most 12
/// bits, so the optimizer can leave its checks out.
///
/// - Source: GIF89a specification, appendix F (variable-length-code LZW) and §15 (data sub-blocks). A full table stays
///   unchanged ("deferred clear code").
final class LZWDecoder {
    /// The reason why a call of ``read(_:at:into:_:)`` ended.
    enum Outcome { case needsBytes, full, end, damaged }

    private static let maximumBits: UInt32 = 12
    private static let entries = 1 << 12

    private struct Entry {
        /// The last indices, the first of them lowest; bytes above the last one are 0.
        var tail: UInt64
        /// The entry of the indices before `tail`, if there are more than 8.
        var prefix: UInt16
        var length: UInt16
        /// The first index of the string.
        var first: UInt8
    }

    private var table: [Entry]
    /// The bits read and not used yet.
    private var bits: UInt64 = 0
    private var bitCount: UInt32 = 0
    /// The bytes that remain in the current sub-block.
    private var blockLeft = 0
    private let codeSize: UInt32
    private var codeBits: UInt32
    private var next: UInt32
    /// The code before; `nil` after a clear code.
    private var previous: UInt32?
    private var isAtEnd = false
    private var isDamaged = false
    /// A string that did not fit into the room, and its part that is not written yet.
    private var string = [UInt8](repeating: 0, count: LZWDecoder.entries + 8)
    private var waiting = 0..<0

    /// Creates a decoder of codes that begin with `codeSize` + 1 bits; `codeSize` is 1 to 11.
    ///
    /// GIF allows 8 at most, but files with larger ones exist, and ffmpeg, libnsgif and Pillow read them.
    ///
    /// - Returns: `nil` if `codeSize` is any other.
    init?(codeSize: UInt8) {
        guard codeSize >= 1, codeSize < LZWDecoder.maximumBits else { return nil }
        self.codeSize = UInt32(codeSize)
        codeBits = self.codeSize + 1
        next = 1 << self.codeSize + 2
        table = (0..<LZWDecoder.entries).map { code in
            let index = UInt8(truncatingIfNeeded: code)
            return Entry(tail: UInt64(index), prefix: 0, length: 1, first: index)
        }
    }

    /// Decodes the sub-blocks at `offset` (a count, as many bytes, and so on, up to a count of 0) and advances it past
    /// the bytes read.
    ///
    /// - Parameters:
    ///   - indices: where indices are written; bytes after the last one may be changed, too.
    ///   - room: the part of `indices` to fill.
    /// - Returns: the number of indices written, and why there are no more. Damage is permanent.
    func read(
        _ chain: ByteChain, at offset: inout Int, into indices: inout MutableRawSpan, _ room: Range<Int>
    ) -> (indices: Int, outcome: Outcome) {
        var written = 0
        while true {
            let piece = chain.window(at: offset)
            let (used, done, outcome) = decode(piece.bytes, into: &indices, room.lowerBound + written..<room.upperBound)
            offset += used
            written += done
            if outcome != .needsBytes || chain.piece(at: offset).isEmpty { return (written, outcome) }
        }
    }

    @_lifetime(indices: copy indices)
    private func decode(
        _ bytes: RawSpan, into indices: inout MutableRawSpan, _ room: Range<Int>
    ) -> (used: Int, done: Int, outcome: Outcome) {
        // Local copies stay in registers during the loop.
        var (bits, bitCount, blockLeft) = (bits, bitCount, blockLeft)
        var (codeBits, next, previous) = (codeBits, next, previous)
        let clear = 1 << codeSize as UInt32
        let end = room.upperBound
        var used = 0
        var outcome = Outcome.full
        var table = table.mutableSpan
        guard !isDamaged, table.count == LZWDecoder.entries else { return (0, 0, .damaged) }
        // After damage, no string waits, because damage is detected only while there is room.
        var at = room.lowerBound + moveWaiting(to: &indices, room)
        decoding: while at < end {
            if bitCount < codeBits {
                if isAtEnd {
                    outcome = .end
                    break
                }
                if blockLeft >= 4, bytes.byteCount &- used >= 4 {
                    bits |= UInt64(bytes.littleEndian32(at: used)) &<< UInt64(bitCount)
                    bitCount &+= 32
                    used &+= 4
                    blockLeft &-= 4
                    continue
                }
                guard used < bytes.byteCount else {
                    outcome = .needsBytes
                    break
                }
                let byte = bytes.byte(at: used)
                used &+= 1
                if blockLeft == 0 {
                    blockLeft = Int(byte)
                    isAtEnd = byte == 0
                } else {
                    bits |= UInt64(byte) &<< UInt64(bitCount)
                    bitCount &+= 8
                    blockLeft &-= 1
                }
                continue
            }
            let code = UInt32(truncatingIfNeeded: bits) & (1 &<< codeBits &- 1)
            bits &>>= UInt64(codeBits)
            bitCount &-= codeBits
            if code == clear {
                next = clear &+ 2
                codeBits = codeSize &+ 1
                previous = nil
                continue
            }
            if code == clear &+ 1 {
                isAtEnd = true
                bitCount = 0
                outcome = .end
                break
            }
            if let previous {
                if next < LZWDecoder.entries {
                    // The code may name the new entry itself.
                    guard code <= next else {
                        outcome = .damaged
                        break decoding
                    }
                    var entry = table[Int(previous & 4095)]
                    let first = code == next ? entry.first : table[Int(code & 4095)].first
                    let place = entry.length & 7
                    if place == 0 {
                        entry.tail = UInt64(first)
                        entry.prefix = UInt16(truncatingIfNeeded: previous)
                    } else {
                        entry.tail |= UInt64(first) &<< UInt64(place &* 8)
                    }
                    entry.length &+= 1
                    table[Int(next & 4095)] = entry
                    next &+= 1
                }
            } else if code > clear {
                outcome = .damaged
                break
            }
            // Also after the first code: with indices of one bit, the first free entry needs a third bit at once.
            if next >= 1 &<< codeBits, codeBits < LZWDecoder.maximumBits { codeBits &+= 1 }
            previous = code
            let entry = table[Int(code & 4095)]
            let length = Int(entry.length)
            // The first of the 8 indices written in the last step.
            let last = (length &- 1) & ~7
            if at &+ last &+ 8 <= end {
                LZWDecoder.write(entry, table.span, to: &indices, at, last)
                at &+= length
            } else {
                var spare = string.mutableSpan
                var bytes = spare.mutableBytes
                LZWDecoder.write(entry, table.span, to: &bytes, 0, last)
                waiting = 0..<length
                at &+= moveWaiting(to: &indices, at..<end)
            }
        }
        isDamaged = outcome == .damaged
        (self.bits, self.bitCount, self.blockLeft) = (bits, bitCount, blockLeft)
        (self.codeBits, self.next, self.previous) = (codeBits, next, previous)
        return (used, at - room.lowerBound, outcome)
    }

    /// Writes the string of `entry` to `start`, from its end: its last 1 to 8 indices to `start + last`.
    @inline(__always)
    @_lifetime(indices: copy indices)
    private static func write(
        _ entry: Entry, _ table: Span<Entry>, to indices: inout MutableRawSpan, _ start: Int, _ last: Int
    ) {
        indices.storeBytes(of: entry.tail.littleEndian, toByteOffset: start &+ last, as: UInt64.self)
        var left = last
        var prefix = entry.prefix
        while left > 0 {
            left &-= 8
            let entry = table[Int(prefix & 4095)]
            indices.storeBytes(of: entry.tail.littleEndian, toByteOffset: start &+ left, as: UInt64.self)
            prefix = entry.prefix
        }
    }

    /// Writes as much of the waiting string as there is room for.
    ///
    /// - Returns: the number of indices written.
    private func moveWaiting(to indices: inout MutableRawSpan, _ room: Range<Int>) -> Int {
        let count = min(waiting.count, room.count)
        for index in 0..<count {
            indices.storeBytes(
                of: string[waiting.lowerBound + index], toByteOffset: room.lowerBound + index, as: UInt8.self)
        }
        waiting = waiting.lowerBound + count..<waiting.upperBound
        return count
    }
}
