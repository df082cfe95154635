/// The bit masks of the components in a pixel of 16, 24 or 32 bits.
struct ChannelMasks: Equatable {
    var red: ChannelMask
    var green: ChannelMask
    var blue: ChannelMask
    var alpha: ChannelMask

    /// Creates masks from numbers.
    init(_ red: UInt32, _ green: UInt32, _ blue: UInt32, _ alpha: UInt32) {
        self.red = ChannelMask(red)
        self.green = ChannelMask(green)
        self.blue = ChannelMask(blue)
        self.alpha = ChannelMask(alpha)
    }

    /// Reads the three or four masks in a header. Bits beyond the pixel's are ignored.
    init(_ fields: LittleEndianFields, at offset: Int, count: Int, bits: Int) {
        let width: UInt32 = bits >= 32 ? .max : 1 << UInt32(clamping: bits) - 1
        func mask(_ index: Int) -> UInt32 {
            index < count ? UInt32(truncatingIfNeeded: fields.u32(offset + index * 4)) & width : 0
        }
        self.init(mask(0), mask(1), mask(2), mask(3))
    }

    /// Returns the default masks: 5 bits per color for 16 bits, otherwise 8 bits, blue lowest.
    static func standard(bits: Int) -> ChannelMasks {
        bits == 16 ? ChannelMasks(0x7C00, 0x3E0, 0x1F, 0) : ChannelMasks(0xFF_0000, 0xFF00, 0xFF, 0)
    }

    /// 8 bits per color with alpha in the highest byte, as in icons.
    static let withAlpha = ChannelMasks(0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000)

    /// True if no color has a mask.
    var isEmpty: Bool { !red.isPresent && !green.isPresent && !blue.isPresent }

    /// The bits of the widest mask.
    var widest: Int { max(red.width, green.width, blue.width) }
}

/// The bits of a pixel that hold one component.
struct ChannelMask: Equatable {
    /// The mask of the bits.
    let mask: UInt32
    /// The distance of the lowest bit from the pixel's lowest bit.
    let shift: UInt32
    /// The number of bits from the lowest to the highest; some between them may be unused.
    let width: Int

    init(_ mask: UInt32) {
        self.mask = mask
        shift = mask == 0 ? 0 : UInt32(truncatingIfNeeded: mask.trailingZeroBitCount)
        width = mask == 0 ? 0 : 32 - mask.leadingZeroBitCount - mask.trailingZeroBitCount
    }

    /// True if the component exists.
    var isPresent: Bool { mask != 0 }

    /// Returns a lookup table from a value's highest 8 bits to 8 bits.
    ///
    /// Entry `i` is `i` scaled so that the largest value is 255, rounded to nearest; without a mask, every entry is
    /// `absent`.
    func table(absent: UInt8) -> ChannelTable {
        guard isPresent else { return ChannelTable(mask: 0, shift: 0, values: [UInt8](repeating: absent, count: 256)) }
        let dropped = UInt32(truncatingIfNeeded: max(width - 8, 0))
        let largest = Int(mask >> (shift + dropped))
        let values = (0..<256).map { UInt8(clamping: (min($0, largest) * 255 + largest / 2) / max(largest, 1)) }
        return ChannelTable(mask: mask, shift: shift + dropped, values: values)
    }
}

/// A component's place in a pixel, and a table of its values in 8 bits.
struct ChannelTable {
    let mask: UInt32
    let shift: UInt32
    /// 256 entries.
    let values: [UInt8]

    /// Returns the index of a pixel's value. A mask of more than 8 bits is shifted by the excess, so that the index is
    /// below 256.
    @inline(__always)
    func index(_ pixel: UInt32) -> Int { Int((pixel & mask) &>> shift & 0xFF) }
}
