import FirnImage

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
        case indexed(bits: Int, [UInt32])
        /// Colors with any masks in a pixel of some bytes.
        case masked(bytes: Int, red: ChannelTable, green: ChannelTable, blue: ChannelTable, alpha: ChannelTable)
    }

    let width: Int
    let layout: SampleLayout
    private let pixels: Pixels

    /// - Parameter isOpaque: whether to ignore alpha even if it has a mask.
    init(_ header: DIBHeader, _ chain: ByteChain, layout: SampleLayout, isOpaque: Bool) {
        width = header.size.width
        self.layout = layout
        let masks = header.masks ?? .standard(bits: header.bitsPerPixel)
        let hasAlpha = header.hasAlpha && !isOpaque
        let usual = masks.red.mask == 0xFF_0000 && masks.green.mask == 0xFF00 && masks.blue.mask == 0xFF
        if header.isIndexed {
            pixels = .indexed(bits: header.bitsPerPixel, DIBRowPacker.palette(header, chain, layout))
        } else if header.bitsPerPixel == 24, usual, !hasAlpha {
            pixels = .bgr24
        } else if header.bitsPerPixel == 32, usual, !hasAlpha || masks.alpha.mask == 0xFF00_0000 {
            pixels = .bgr32(opaque: !hasAlpha)
        } else {
            pixels = .masked(
                bytes: header.bitsPerPixel / 8, red: masks.red.table(absent: 0), green: masks.green.table(absent: 0),
                blue: masks.blue.table(absent: 0),
                alpha: (hasAlpha ? masks.alpha : ChannelMask(0)).table(absent: 255))
        }
    }

    /// Returns the palette as pixels; missing entries are black.
    private static func palette(_ header: DIBHeader, _ chain: ByteChain, _ layout: SampleLayout) -> [UInt32] {
        var entries = [UInt32](repeating: 0xFF00_0000, count: 256)
        let size = header.paletteEntryBytes
        let count = min(header.paletteCount, 256)
        guard let stored = chain.bytes(at: header.paletteOffset, count: count * size) else { return entries }
        let bytes = [UInt8](stored)
        for index in 0..<count {
            let blue = UInt32(bytes[index * size])
            let green = UInt32(bytes[index * size + 1])
            let red = UInt32(bytes[index * size + 2])
            let ends = layout == .bgra8 ? red << 16 | blue : blue << 16 | red
            entries[index] = 0xFF00_0000 | green << 8 | ends
        }
        return entries
    }

    /// Converts one row of samples.
    ///
    /// Safety: reads at most `header.bytesPerRow` bytes of `row` and writes `width` pixels to `target`; the caller has
    /// checked that both have room.
    func pack(_ row: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        switch pixels {
        case .bgr24: packTriples(row, target)
        case .bgr32(let opaque): packWords(row, target, or: opaque ? 0xFF00_0000 : 0)
        case .indexed(let bits, let entries): packIndexed(row, target, bits: bits, entries)
        case .masked(let bytes, let red, let green, let blue, let alpha):
            packMasked(row, target, bytes: bytes, (red, green, blue, alpha))
        }
    }

    private func packTriples(_ row: UnsafeRawPointer, _ target: UnsafeMutableRawPointer) {
        let swaps = layout != .bgra8
        if layout == .rgb8 {
            let from = row.assumingMemoryBound(to: UInt8.self)
            let to = target.assumingMemoryBound(to: UInt8.self)
            for at in stride(from: 0, to: width &* 3, by: 3) {
                (to[at], to[at &+ 1], to[at &+ 2]) = (from[at &+ 2], from[at &+ 1], from[at])
            }
            return
        }
        // Each read takes a whole word, one byte more than a pixel; the last pixel is assembled from its bytes.
        let whole = max(width &- 1, 0)
        if swaps {
            for x in 0..<whole {
                let word = row.loadUnaligned(fromByteOffset: x &* 3, as: UInt32.self) | 0xFF00_0000
                target.storeBytes(of: DIBRowPacker.swapped(word), toByteOffset: x &* 4, as: UInt32.self)
            }
        } else {
            for x in 0..<whole {
                let word = row.loadUnaligned(fromByteOffset: x &* 3, as: UInt32.self) | 0xFF00_0000
                target.storeBytes(of: word, toByteOffset: x &* 4, as: UInt32.self)
            }
        }
        let last = (row + (width &- 1) &* 3).assumingMemoryBound(to: UInt8.self)
        let word = 0xFF00_0000 | UInt32(last[2]) << 16 | UInt32(last[1]) << 8 | UInt32(last[0])
        target.storeBytes(
            of: swaps ? DIBRowPacker.swapped(word) : word, toByteOffset: (width &- 1) &* 4, as: UInt32.self)
    }

    private func packWords(_ row: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, or opaque: UInt32) {
        switch layout {
        case .bgra8 where opaque == 0:
            target.copyMemory(from: row, byteCount: width &* 4)
        case .rgb8:
            let to = target.assumingMemoryBound(to: UInt8.self)
            for x in 0..<width {
                let word = row.loadUnaligned(fromByteOffset: x &* 4, as: UInt32.self)
                to[x &* 3] = UInt8(truncatingIfNeeded: word &>> 16)
                to[x &* 3 &+ 1] = UInt8(truncatingIfNeeded: word &>> 8)
                to[x &* 3 &+ 2] = UInt8(truncatingIfNeeded: word)
            }
        default:
            let swaps = layout != .bgra8
            for x in 0..<width {
                let word = row.loadUnaligned(fromByteOffset: x &* 4, as: UInt32.self) | opaque
                target.storeBytes(
                    of: swaps ? DIBRowPacker.swapped(word) : word, toByteOffset: x &* 4, as: UInt32.self)
            }
        }
    }

    private func packIndexed(
        _ row: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, bits: Int, _ entries: [UInt32]
    ) {
        let from = row.assumingMemoryBound(to: UInt8.self)
        let mask = (1 << bits) - 1
        let pixelsInByte = 8 / bits
        entries.withUnsafeBufferPointer { entries in
            for x in 0..<width {
                let shift = (pixelsInByte &- 1 &- x % pixelsInByte) &* bits
                // The index has at most 8 bits, and there are 256 entries.
                store(entries[Int(from[x / pixelsInByte]) &>> shift & mask], at: x, target)
            }
        }
    }

    private func packMasked(
        _ row: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, bytes: Int,
        _ tables: (red: ChannelTable, green: ChannelTable, blue: ChannelTable, alpha: ChannelTable)
    ) {
        let from = row.assumingMemoryBound(to: UInt8.self)
        let isBlueFirst = layout == .bgra8
        let (first, last) = isBlueFirst ? (tables.blue, tables.red) : (tables.red, tables.blue)
        for x in 0..<width {
            var pixel: UInt32 = 0
            for byte in 0..<bytes {
                pixel |= UInt32(from[x &* bytes &+ byte]) &<< UInt32(truncatingIfNeeded: byte &* 8)
            }
            let word =
                UInt32(DIBRowPacker.sample(pixel, first)) | UInt32(DIBRowPacker.sample(pixel, tables.green)) << 8
                | UInt32(DIBRowPacker.sample(pixel, last)) << 16 | UInt32(DIBRowPacker.sample(pixel, tables.alpha))
                << 24
            store(word, at: x, target)
        }
    }

    /// Looks up a component. A mask of more than 8 bits is shifted by the excess, so that the index is below 256.
    @inline(__always)
    private static func sample(_ pixel: UInt32, _ table: ChannelTable) -> UInt8 {
        table.values[Int((pixel & table.mask) &>> table.shift & 0xFF)]
    }

    /// Swaps red and blue.
    @inline(__always)
    private static func swapped(_ word: UInt32) -> UInt32 {
        word & 0xFF00_FF00 | (word & 0xFF) &<< 16 | (word &>> 16) & 0xFF
    }

    /// Stores a pixel; `word` has the layout's bytes, lowest first.
    @inline(__always)
    private func store(_ word: UInt32, at x: Int, _ target: UnsafeMutableRawPointer) {
        if layout == .rgb8 {
            let to = target.assumingMemoryBound(to: UInt8.self) + x &* 3
            to[0] = UInt8(truncatingIfNeeded: word)
            to[1] = UInt8(truncatingIfNeeded: word &>> 8)
            to[2] = UInt8(truncatingIfNeeded: word &>> 16)
        } else {
            target.storeBytes(of: word, toByteOffset: x &* 4, as: UInt32.self)
        }
    }
}
