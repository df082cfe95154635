/// The bit masks of the components in a pixel of 16, 24 or 32 bits; 0 for a component that does not exist.
struct ChannelMasks: Equatable {
    var red: UInt32
    var green: UInt32
    var blue: UInt32
    var alpha: UInt32

    /// Returns the default masks: 5 bits per color for 16 bits, otherwise 8 bits, blue lowest.
    static func standard(bits: Int) -> ChannelMasks {
        bits == 16
            ? ChannelMasks(red: 0x7C00, green: 0x3E0, blue: 0x1F, alpha: 0)
            : ChannelMasks(red: 0xFF_0000, green: 0xFF00, blue: 0xFF, alpha: 0)
    }

    /// 8 bits per color with alpha in the highest byte, as in icons.
    static let withAlpha = ChannelMasks(red: 0xFF_0000, green: 0xFF00, blue: 0xFF, alpha: 0xFF00_0000)

    /// True if no color has a mask.
    var isEmpty: Bool { red | green | blue == 0 }

    /// The bits of the widest mask.
    var widest: Int { [red, green, blue].reduce(0) { max($0, ChannelTable.width(of: $1)) } }
}

extension ChannelMasks {
    /// Reads the three or four masks in a header. Bits beyond the pixel's are ignored.
    init(_ fields: LittleEndianFields, at offset: Int, count: Int, bits: Int) {
        let width: UInt32 = bits >= 32 ? .max : 1 << UInt32(clamping: bits) - 1
        func mask(_ index: Int) -> UInt32 {
            index < count ? UInt32(truncatingIfNeeded: fields.u32(offset + index * 4)) & width : 0
        }
        self.init(red: mask(0), green: mask(1), blue: mask(2), alpha: mask(3))
    }
}

/// A component's place in a pixel, and a table of its values in 8 bits.
struct ChannelTable {
    let mask: UInt32
    let shift: UInt32
    /// A lookup table from a value's highest 8 bits to 8 bits.
    ///
    /// Entry `i` is `i` scaled so that the largest value is 255, rounded to nearest.
    let values: [UInt8]

    /// - Parameter absent: the value of every entry if the mask is 0.
    init(_ mask: UInt32, absent: UInt8) {
        let dropped = max(ChannelTable.width(of: mask) - 8, 0)
        let shift = mask == 0 ? 0 : UInt32(truncatingIfNeeded: mask.trailingZeroBitCount + dropped)
        let largest = Int(mask >> shift)
        self.mask = mask
        self.shift = shift
        values = (0..<256).map {
            largest == 0 ? absent : UInt8(clamping: (min($0, largest) * 255 + largest / 2) / largest)
        }
    }

    /// Returns the number of bits of a mask from the lowest to the highest; some between them may be unused.
    static func width(of mask: UInt32) -> Int { max(0, 32 - mask.leadingZeroBitCount - mask.trailingZeroBitCount) }

    /// Returns the index of a pixel's value. A mask of more than 8 bits is shifted by the excess, so that the index is
    /// below 256.
    @inline(__always)
    func index(_ pixel: UInt32) -> Int { Int((pixel & mask) &>> shift & 0xFF) }
}
