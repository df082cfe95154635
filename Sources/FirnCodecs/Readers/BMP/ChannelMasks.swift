/// Where the colors stand in a pixel of 16, 24 or 32 bits.
struct ChannelMasks: Equatable {
    var red: ChannelMask
    var green: ChannelMask
    var blue: ChannelMask
    var alpha: ChannelMask

    /// Masks of numbers.
    init(_ red: UInt32, _ green: UInt32, _ blue: UInt32, _ alpha: UInt32) {
        self.red = ChannelMask(red)
        self.green = ChannelMask(green)
        self.blue = ChannelMask(blue)
        self.alpha = ChannelMask(alpha)
    }

    /// The three or four masks that stand in a header. Bits that a pixel does not have are not counted.
    init(_ fields: LittleEndianFields, at offset: Int, count: Int, bits: Int) {
        let width: UInt32 = bits >= 32 ? .max : 1 << UInt32(clamping: bits) - 1
        func mask(_ index: Int) -> UInt32 {
            index < count ? UInt32(truncatingIfNeeded: fields.u32(offset + index * 4)) & width : 0
        }
        self.init(mask(0), mask(1), mask(2), mask(3))
    }

    /// What holds where no masks are given: 5 bits a color of 16, 8 bits otherwise, blue lowest.
    static func standard(bits: Int) -> ChannelMasks {
        bits == 16 ? ChannelMasks(0x7C00, 0x3E0, 0x1F, 0) : ChannelMasks(0xFF_0000, 0xFF00, 0xFF, 0)
    }

    /// 8 bits a color and alpha on top, as icons have it.
    static let withAlpha = ChannelMasks(0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000)

    /// Whether no color stands anywhere.
    var isEmpty: Bool { !red.isPresent && !green.isPresent && !blue.isPresent }

    /// Bits of the widest.
    var widest: Int { max(red.width, green.width, blue.width) }
}

/// Which bits of a pixel are one of its colors.
struct ChannelMask: Equatable {
    /// The bits.
    let mask: UInt32
    /// How far the lowest is from the pixel's lowest.
    let shift: UInt32
    /// How many bits there are from the lowest to the highest; some between them may be left out.
    let width: Int

    init(_ mask: UInt32) {
        self.mask = mask
        shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
        width = mask == 0 ? 0 : 32 - mask.leadingZeroBitCount - mask.trailingZeroBitCount
    }

    /// Whether there is such a color.
    var isPresent: Bool { mask != 0 }

    /// How a value is brought to 8 bits: its highest 8 bits, looked up.
    ///
    /// Entry `i` is `i` scaled so that the largest value is 255, rounded to nearest; where there is no mask, `absent`.
    func table(absent: UInt8) -> ChannelTable {
        guard isPresent else { return ChannelTable(mask: 0, shift: 0, values: [UInt8](repeating: absent, count: 256)) }
        let dropped = UInt32(max(width - 8, 0))
        let largest = Int(mask >> (shift + dropped))
        let values = (0..<256).map { UInt8(clamping: (min($0, largest) * 255 + largest / 2) / max(largest, 1)) }
        return ChannelTable(mask: mask, shift: shift + dropped, values: values)
    }
}

/// A color's place in a pixel, and what its values mean in 8 bits.
struct ChannelTable {
    let mask: UInt32
    let shift: UInt32
    /// 256 entries.
    let values: [UInt8]
}
