/// Converts rows of a bitmap to rows of samples.
///
/// Speed: 24 and 32 bits with the usual masks are copied as whole words; all other layouts use tables of 256 entries.
struct DIBRowPacker {
    private enum Pixels {
        /// Blue, green, red.
        case bgr24
        /// Blue, green, red, and a byte that is unused (`opaque`) or alpha.
        case bgr32(opaque: Bool)
        /// Palette indices, with 256 whole pixels in the byte order of the layout.
        case indexed([UInt32])
        /// Colors with any masks.
        case masked(red: ChannelTable, green: ChannelTable, blue: ChannelTable, alpha: ChannelTable)
    }

    let width: Int
    let layout: SampleLayout
    /// The bits of a stored pixel.
    private let bits: Int
    private let pixels: Pixels

    /// - Parameter isOpaque: whether to ignore alpha even if it has a mask.
    init(_ header: DIBHeader, _ chain: ByteChain, layout: SampleLayout, isOpaque: Bool) {
        width = header.size.width
        self.layout = layout
        bits = header.bitsPerPixel
        let masks = header.masks ?? .standard(bits: header.bitsPerPixel)
        let hasAlpha = header.hasAlpha && !isOpaque
        let usual = masks.red == 0xFF_0000 && masks.green == 0xFF00 && masks.blue == 0xFF
        if header.isIndexed {
            pixels = .indexed(DIBRowPacker.palette(header, chain, layout))
        } else if bits == 24, usual, !hasAlpha {
            pixels = .bgr24
        } else if bits == 32, usual, !hasAlpha || masks.alpha == 0xFF00_0000 {
            pixels = .bgr32(opaque: !hasAlpha)
        } else {
            pixels = .masked(
                red: ChannelTable(masks.red, absent: 0), green: ChannelTable(masks.green, absent: 0),
                blue: ChannelTable(masks.blue, absent: 0),
                alpha: ChannelTable(hasAlpha ? masks.alpha : 0, absent: 255))
        }
    }

    /// Returns the palette as pixels; missing entries are black.
    private static func palette(_ header: DIBHeader, _ chain: ByteChain, _ layout: SampleLayout) -> [UInt32] {
        var entries = [UInt32](repeating: 0xFF00_0000, count: 256)
        let size = header.paletteEntryBytes
        let count = min(header.paletteCount, 256, max(0, chain.count - header.paletteOffset) / size)
        guard let stored = chain.bytes(at: header.paletteOffset, count: count * size) else { return entries }
        let bytes = [UInt8](stored)
        for index in 0..<count {
            let color = 0xFF00_0000 | UInt32(clamping: bytes.little(index * size, 3))
            entries[index] = layout == .bgra8 ? color : swapped(color)
        }
        return entries
    }

    /// Converts one row of samples. Does nothing unless `row` holds the samples of `width` pixels, and `target` has
    /// room for their pixels.
    ///
    /// Safety: reads are checked. Writes stay within the first `width` pixels, for which there is room.
    func pack(_ row: RawSpan, to target: UnsafeMutableRawBufferPointer) {
        // The sides are below 2^32.
        guard width > 0, row.byteCount >= (width * bits + 7) / 8, target.count >= width * layout.bytesPerPixel else {
            return
        }
        switch pixels {
        case .bgr24: packTriples(row, target)
        case .bgr32(let opaque): packWords(row, target, or: opaque ? 0xFF00_0000 : 0)
        case .indexed(let entries): packIndexed(row, target, entries.span)
        case .masked(let red, let green, let blue, let alpha): packMasked(row, target, (red, green, blue, alpha))
        }
    }

    private func packTriples(_ row: RawSpan, _ target: UnsafeMutableRawBufferPointer) {
        // Each read takes a whole word, one byte more than a pixel. So does each write of three bytes, whose extra byte
        // the next write replaces. The last pixel is assembled from its bytes.
        let last = width &- 1
        @inline(__always)
        func writeAll(_ size: Int, _ make: (UInt32) -> UInt32) {
            row.forEachPixel(bytes: 3, further: 1, count: last) { row, at, x in
                target.storeBytes(of: make(row.littleEndian32(at: at)), toByteOffset: x &* size, as: UInt32.self)
            }
        }
        switch layout {
        case .rgb8: writeAll(3) { $0.byteSwapped &>> 8 }
        case .bgra8: writeAll(4) { $0 | 0xFF00_0000 }
        default: writeAll(4) { $0.byteSwapped &>> 8 | 0xFF00_0000 }
        }
        let color = 0xFF00_0000 | DIBRowPacker.triple(row, at: last &* 3)
        store(layout == .bgra8 ? color : DIBRowPacker.swapped(color), at: last, target)
    }

    /// Returns the three bytes at `offset` as a number, the first byte lowest.
    @inline(__always)
    private static func triple(_ row: RawSpan, at offset: Int) -> UInt32 {
        UInt32(row.byte(at: offset)) | UInt32(row.byte(at: offset &+ 1)) << 8 | UInt32(row.byte(at: offset &+ 2)) << 16
    }

    private func packWords(_ row: RawSpan, _ target: UnsafeMutableRawBufferPointer, or opaque: UInt32) {
        if layout == .bgra8, opaque == 0 {
            row.extracting(0..<width &* 4).copy(to: target)
            return
        }
        let isBlueFirst = layout == .bgra8
        // All writes of rgb8 but the last store a whole word, whose extra byte the next write replaces.
        let last = width &- 1
        if layout == .rgb8 {
            row.forEachPixel(bytes: 4, count: last) { row, at, x in
                let word = row.littleEndian32(at: at).byteSwapped &>> 8
                target.storeBytes(of: word, toByteOffset: x &* 3, as: UInt32.self)
            }
            store(DIBRowPacker.swapped(row.littleEndian32(at: last &* 4)), at: last, target)
            return
        }
        var x = 0
        while x &+ 16 <= width {
            let words = row.sixteenWords(at: x &* 4) | SIMD16(repeating: opaque)
            target.storeBytes(
                of: isBlueFirst ? words : DIBRowPacker.swapped(words), toByteOffset: x &* 4, as: SIMD16<UInt32>.self)
            x &+= 16
        }
        while x < width {
            let word = row.littleEndian32(at: x &* 4) | opaque
            store(isBlueFirst ? word : DIBRowPacker.swapped(word), at: x, target)
            x &+= 1
        }
    }

    private func packIndexed(_ row: RawSpan, _ target: UnsafeMutableRawBufferPointer, _ entries: Span<UInt32>) {
        guard entries.count == 256 else { return }
        if bits == 8 {
            row.forEachPixel(bytes: 1, count: width) { row, at, x in
                store(entries[Int(row.byte(at: at))], at: x, target)
            }
            return
        }
        // The highest bits of a byte are its first pixel.
        let pixelsInByte = 8 / bits
        let (shift, rest) = (UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: 8 - bits))
        var x = 0
        while x < width {
            var byte = row.byte(at: x / pixelsInByte)
            let end = min(x &+ pixelsInByte, width)
            while x < end {
                store(entries[Int(byte &>> rest)], at: x, target)
                byte &<<= shift
                x &+= 1
            }
        }
    }

    private func packMasked(
        _ row: RawSpan, _ target: UnsafeMutableRawBufferPointer,
        _ tables: (red: ChannelTable, green: ChannelTable, blue: ChannelTable, alpha: ChannelTable)
    ) {
        let isBlueFirst = layout == .bgra8
        let (first, third) = isBlueFirst ? (tables.blue, tables.red) : (tables.red, tables.blue)
        let samples = (first.values.span, tables.green.values.span, third.values.span, tables.alpha.values.span)
        guard samples.0.count == 256, samples.1.count == 256, samples.2.count == 256, samples.3.count == 256 else {
            return
        }
        @inline(__always)
        func put(_ pixel: UInt32, _ x: Int) {
            let word =
                UInt32(samples.0[first.index(pixel)]) | UInt32(samples.1[tables.green.index(pixel)]) << 8
                | UInt32(samples.2[third.index(pixel)]) << 16 | UInt32(samples.3[tables.alpha.index(pixel)]) << 24
            store(word, at: x, target)
        }
        switch bits {
        case 16:
            row.forEachPixel(bytes: 2, count: width) { row, at, x in
                put(UInt32(row.byte(at: at)) | UInt32(row.byte(at: at &+ 1)) << 8, x)
            }
        case 24:
            row.forEachPixel(bytes: 3, count: width) { row, at, x in put(DIBRowPacker.triple(row, at: at), x) }
        default:
            row.forEachPixel(bytes: 4, count: width) { row, at, x in put(row.littleEndian32(at: at), x) }
        }
    }

    /// Swaps red and blue.
    @inline(__always)
    private static func swapped(_ word: UInt32) -> UInt32 {
        word & 0xFF00_FF00 | (word & 0xFF) &<< 16 | (word &>> 16) & 0xFF
    }

    @inline(__always)
    private static func swapped(_ words: SIMD16<UInt32>) -> SIMD16<UInt32> {
        words & 0xFF00_FF00 | (words & 0xFF) &<< 16 | (words &>> 16) & 0xFF
    }

    /// Stores a pixel; `word` has the layout's bytes, lowest first.
    @inline(__always)
    private func store(_ word: UInt32, at x: Int, _ target: UnsafeMutableRawBufferPointer) {
        if layout == .rgb8 {
            target[x &* 3] = UInt8(truncatingIfNeeded: word)
            target[x &* 3 &+ 1] = UInt8(truncatingIfNeeded: word &>> 8)
            target[x &* 3 &+ 2] = UInt8(truncatingIfNeeded: word &>> 16)
        } else {
            target.storeBytes(of: word, toByteOffset: x &* 4, as: UInt32.self)
        }
    }
}

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

/// A component's bits in a pixel, and a table of its values in 8 bits.
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
