import FoundationEssentials

/// Reads the bits of one stretch of a JPEG's coded data: from a scan's start, or a restart marker, to the next marker.
///
/// Bytes are unstuffed ahead into a window, so that a whole MCU is decoded or none: if fewer bytes have arrived than
/// the largest MCU takes, the decoder pauses. Zeros follow the stretch's end; `isOverrun` says whether some were used.
///
/// Invariants: the `count` highest bits of `held` are the next ones, the rest is 0; `window[next...]` follows them, and
/// the file's byte at `position` follows those; `padding` of the held bits are not from the file.
///
/// - Source: ISO/IEC 10918-1 §B.1.1.5 and §F.2.2.5.
struct EntropyBits {
    /// More than the bits of ten blocks, each of at most 16 + 11 bits.
    private static let bytesOfLargestMCU = 40
    private static let windowBytes = 16 << 10

    private var window: [UInt8] = []
    private var next = 0
    private var held: UInt64 = 0
    private var count = 0
    private var padding = 0
    /// The offset in the file of the byte after the window.
    private(set) var position: Int
    /// Whether a marker stands at `position`.
    private(set) var isAtMarker = false

    /// Starts at an offset of the file.
    init(at position: Int) { self.position = position }

    /// Whether bits beyond the stretch's end were used.
    var isOverrun: Bool { count < padding }

    /// Whether more bits remain than those that fill the last byte.
    var hasBytesLeft: Bool { next < window.count || count - padding >= 8 }

    /// Ensures that an MCU can be decoded; returns `false` if more bytes must arrive first.
    @inline(__always)
    mutating func prepare(_ chain: ByteChain) -> Bool {
        window.count - next >= EntropyBits.bytesOfLargestMCU || isAtMarker || refill(chain)
    }

    /// Appends more of the file to the rest of the window.
    private mutating func refill(_ chain: ByteChain) -> Bool {
        window.removeFirst(next)
        next = 0
        while !isAtMarker, window.count < EntropyBits.windowBytes {
            let piece = chain.piece(at: position, before: position + EntropyBits.windowBytes)
            guard !piece.isEmpty else { break }
            let end = piece.firstIndex(of: 0xFF) ?? piece.endIndex
            if end > piece.startIndex {
                window.append(contentsOf: piece[piece.startIndex..<end])
                position += end - piece.startIndex
                continue
            }
            guard let code = chain.byte(at: position + 1) else { break }
            switch code {
            case 0:
                window.append(0xFF)
                position += 2
            case 0xFF: position += 1
            default: isAtMarker = true
            }
        }
        return isAtMarker || window.count >= EntropyBits.bytesOfLargestMCU
    }

    /// Loads bits until at least 57 are held.
    @inline(__always)
    mutating func fill() {
        while count <= 56 {
            if next < window.count {
                held |= UInt64(window[next]) << UInt64(truncatingIfNeeded: 56 - count)
                next += 1
            } else {
                padding += 8
            }
            count += 8
        }
    }

    /// Returns the next bits, 1 to 16, without consuming them. At least as many are held.
    @inline(__always)
    func peek(_ bits: Int) -> Int { Int(truncatingIfNeeded: held >> UInt64(truncatingIfNeeded: 64 - bits)) }

    /// Consumes held bits.
    @inline(__always)
    mutating func skip(_ bits: Int) {
        held <<= UInt64(truncatingIfNeeded: bits)
        count -= bits
    }

    /// Decodes one difference of DC coefficients; `nil` if the bits are not a code.
    @inline(__always)
    mutating func difference(_ table: borrowing HuffmanTable) -> Int? {
        fill()
        let entry = Int(table.short[peek(HuffmanTable.shortBits)])
        var symbol = entry >> 8
        if entry != 0 {
            skip(entry & 0xFF)
        } else {
            guard let code = table.long(peek(16)) else { return nil }
            symbol = code.symbol
            skip(code.length)
        }
        guard symbol > 0 else { return 0 }
        let value = peek(symbol)
        skip(symbol)
        // The lower half of the values of that many bits is negative.
        return value < 1 << (symbol - 1) ? value - (1 << symbol) + 1 : value
    }

    /// Reads one bit.
    @inline(__always)
    mutating func bit() -> Bool {
        fill()
        let isSet = peek(1) == 1
        skip(1)
        return isSet
    }

    /// Looks for the marker that ends the stretch; returns `false` if more bytes must arrive first, or other data
    /// follow.
    mutating func reachMarker(_ chain: ByteChain) -> Bool {
        if !isAtMarker { _ = refill(chain) }
        return isAtMarker && !hasBytesLeft
    }

    /// Moves from the stretch's end past restart marker `code`; returns `false` if another marker is there.
    mutating func restart(_ code: UInt8, in chain: ByteChain) -> Bool {
        guard chain.byte(at: position + 1) == code else { return false }
        self = EntropyBits(at: position + 2)
        return true
    }
}
