/// Decodes the codes of QOI.
///
/// Data structure: the previous pixel, and the 64 pixels seen last, each at the index of its hash. The first byte
/// identifies a code: 0xFE three bytes of color, 0xFF color and alpha; otherwise its two highest bits do: 0 a pixel
/// seen before, 1 small differences, 2 differences relative to green's, 3 a run of the previous pixel.
///
/// Safety: every access to bytes, rows and the pixels seen is checked. An index of 6 bits is always below 64, so the
/// optimizer can leave its check out.
///
/// - Source: QOI specification 1.0, "Data chunks".
struct QOICodes {
    /// The previous pixel: red, green, blue, alpha, from the lowest byte on.
    private var pixel: UInt32 = 0xFF00_0000
    private var seen = [UInt32](repeating: 0, count: 64)
    /// The number of further pixels equal to the previous one.
    private var run = 0
    private let isOpaque: Bool
    private let layout: SampleLayout

    init(isOpaque: Bool, layout: SampleLayout) {
        self.isOpaque = isOpaque
        self.layout = layout
    }

    /// True if pixels remain that need no further code.
    var isRunning: Bool { run > 0 }

    /// Decodes rows of `width` pixels, as far as `bytes` go.
    ///
    /// - Parameters:
    ///   - used: the number of bytes used.
    ///   - begun: the pixels of the first row that are decoded; then those of the row after the complete ones.
    /// - Returns: the number of complete rows.
    mutating func decode(
        _ bytes: RawSpan, _ used: inout Int, _ begun: inout Int, width: Int, rows: Range<Int>, of memory: RowMemory
    ) -> Int {
        for row in rows {
            begun = decode(bytes, &used, from: begun, to: width, of: memory.row(row))
            guard begun == width else { return row - rows.lowerBound }
            begun = 0
        }
        return rows.count
    }

    /// Returns the bytes and the pixels of a code by its first byte.
    static func measure(_ first: UInt8) -> (length: Int, pixels: Int) {
        switch first {
        case 0xFE: (4, 1)
        case 0xFF: (5, 1)
        case 0x80..<0xC0: (2, 1)
        case 0xC0...: (1, Int(first & 0x3F) + 1)
        default: (1, 1)
        }
    }

    /// Decodes pixels `x` to `end` of a row, as far as `bytes` go; does not start an incomplete code.
    ///
    /// - Parameter used: the number of bytes used.
    /// - Returns: the first pixel that was not decoded.
    private mutating func decode(
        _ bytes: RawSpan, _ used: inout Int, from x: Int, to end: Int, of row: UnsafeMutableRawBufferPointer
    ) -> Int {
        let opaque: UInt32 = isOpaque ? 0xFF00_0000 : 0
        var row = row.mutableBytes
        guard row.byteCount == end &* layout.bytesPerPixel else { return x }
        // Order: each call is inlined, so that the loop over pixels does not look at the layout.
        return switch layout {
        case .rgb8:
            decode(bytes, &used, from: x, to: end) { pixel, x in
                row.storeBytes(of: UInt16(truncatingIfNeeded: pixel), toByteOffset: x &* 3, as: UInt16.self)
                row.storeBytes(of: UInt8(truncatingIfNeeded: pixel &>> 16), toByteOffset: x &* 3 &+ 2, as: UInt8.self)
            }
        case .bgra8:
            decode(bytes, &used, from: x, to: end) { pixel, x in
                let swapped = pixel & 0xFF00_FF00 | (pixel & 0xFF) &<< 16 | (pixel &>> 16) & 0xFF
                row.storeBytes(of: (swapped | opaque).littleEndian, toByteOffset: x &* 4, as: UInt32.self)
            }
        default:
            decode(bytes, &used, from: x, to: end) { pixel, x in
                row.storeBytes(of: (pixel | opaque).littleEndian, toByteOffset: x &* 4, as: UInt32.self)
            }
        }
    }

    @inline(__always)
    private mutating func decode(
        _ bytes: RawSpan, _ used: inout Int, from x: Int, to end: Int, _ store: (UInt32, Int) -> Void
    ) -> Int {
        // Local copies stay in registers during the loop.
        var (x, at, pixel, run) = (x, used, pixel, run)
        var seen = seen.mutableSpan
        guard seen.count == 64 else { return x }
        while x < end {
            if run > 0 {
                run &-= 1
                store(pixel, x)
                x &+= 1
                continue
            }
            let left = bytes.byteCount &- at
            guard left > 0 else { break }
            let code = bytes.byte(at: at)
            if code < 0x40 {
                pixel = seen[Int(code)]
                at &+= 1
                store(pixel, x)
                x &+= 1
                continue
            }
            if code < 0x80 {
                let small = UInt32(code)
                // 2 is subtracted from each difference: 254 is added.
                let differences = small &>> 4 & 3 | (small &>> 2 & 3) &<< 8 | (small & 3) &<< 16
                pixel = QOICodes.sum(QOICodes.sum(pixel, differences), 0xFE_FEFE)
                at &+= 1
            } else if code < 0xC0 {
                guard left >= 2 else { break }
                let second = UInt32(bytes.byte(at: at &+ 1))
                let green = UInt32(code & 0x3F) &- 32
                let ends = green &- 8
                let differences =
                    (ends &+ second &>> 4) & 0xFF | (green & 0xFF) &<< 8 | ((ends &+ second & 15) & 0xFF) &<< 16
                pixel = QOICodes.sum(pixel, differences)
                at &+= 2
            } else if code < 0xFE {
                // The pixel is also stored: a file may begin with a run of the black that precedes all pixels.
                run = Int(code & 0x3F)
                at &+= 1
            } else if code == 0xFE {
                guard left >= 4 else { break }
                pixel = pixel & 0xFF00_0000 | bytes.littleEndian32(at: at) &>> 8
                at &+= 4
            } else {
                guard left >= 5 else { break }
                pixel = bytes.littleEndian32(at: at &+ 1)
                at &+= 5
            }
            seen[QOICodes.place(pixel)] = pixel
            store(pixel, x)
            x &+= 1
        }
        (used, self.pixel, self.run) = (at, pixel, run)
        return x
    }

    /// Adds each of the four bytes modulo 256.
    @inline(__always)
    private static func sum(_ one: UInt32, _ other: UInt32) -> UInt32 {
        ((one & 0x7F7F_7F7F) &+ (other & 0x7F7F_7F7F)) ^ ((one ^ other) & 0x8080_8080)
    }

    /// Returns the index of a pixel: the lowest 6 bits of 3 red + 5 green + 7 blue + 11 alpha.
    @inline(__always)
    private static func place(_ pixel: UInt32) -> Int {
        // The product's highest byte is that sum: red, blue, green and alpha are 7, 5, 2 and 0 bytes below it, and
        // the sums in lower bytes do not carry into it.
        let apart = (UInt64(pixel) | UInt64(pixel) &<< 32) & 0xFF00_FF00_00FF_00FF
        return Int(truncatingIfNeeded: (apart &* 0x0300_0700_0005_000B) &>> 56) & 63
    }
}
