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
