/// Decodes the codes of QOI.
///
/// Data structure: the previous pixel, and the 64 pixels seen last, each at the index of its hash. The first byte
/// identifies a code: 0xFE three bytes of color, 0xFF color and alpha; otherwise its two highest bits do: 0 a pixel
/// seen before, 1 small differences, 2 differences relative to green's, 3 a run of the previous pixel.
///
/// - Source: QOI specification 1.0, "Data chunks".
struct QOICodes {
    private var red: UInt8 = 0
    private var green: UInt8 = 0
    private var blue: UInt8 = 0
    private var alpha: UInt8 = 255
    /// Pixels as red, green, blue, alpha, from the lowest byte on.
    private var seen = [UInt32](repeating: 0, count: 64)
    /// The number of further pixels equal to the previous one.
    private var run = 0
    private let isOpaque: Bool
    private let isBlueFirst: Bool
    private let pixelBytes: Int

    init(isOpaque: Bool, isBlueFirst: Bool, pixelBytes: Int) {
        self.isOpaque = isOpaque
        self.isBlueFirst = isBlueFirst
        self.pixelBytes = pixelBytes
    }

    /// Whether pixels remain that need no further code.
    var isRunning: Bool { run > 0 }

    /// Decodes at most `rows` rows of `width` pixels, as far as `bytes` go.
    ///
    /// - Parameters:
    ///   - used: the number of bytes used.
    ///   - begun: the pixels of the first row that are decoded; then those of the row after the complete ones.
    /// - Returns: the number of complete rows.
    mutating func rows(
        _ bytes: UnsafeRawBufferPointer, _ used: inout Int, _ begun: inout Int, width: Int, rows: Int,
        _ base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) -> Int {
        for done in 0..<rows {
            begun = pixels(bytes, &used, from: begun, to: width, base + done * bytesPerRow)
            guard begun == width else { return done }
            begun = 0
        }
        return rows
    }

    /// Decodes pixels `x` to `end` of a row, as far as `bytes` go; does not start an incomplete code.
    ///
    /// - Parameter used: the number of bytes used.
    /// - Returns: the first pixel that was not decoded.
    private mutating func pixels(
        _ bytes: UnsafeRawBufferPointer, _ used: inout Int, from x: Int, to end: Int, _ row: UnsafeMutableRawPointer
    ) -> Int {
        var x = x
        while x < end {
            if run > 0 {
                run &-= 1
            } else if !next(bytes, &used) {
                return x
            }
            store(at: x, row)
            x &+= 1
        }
        return x
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

    /// Decodes one code.
    ///
    /// - Returns: whether it was complete.
    private mutating func next(_ bytes: UnsafeRawBufferPointer, _ used: inout Int) -> Bool {
        guard used < bytes.count else { return false }
        let code = bytes[used]
        switch code {
        case 0xFE:
            guard bytes.count - used >= 4 else { return false }
            (red, green, blue) = (bytes[used + 1], bytes[used + 2], bytes[used + 3])
            used += 4
        case 0xFF:
            guard bytes.count - used >= 5 else { return false }
            (red, green, blue, alpha) = (bytes[used + 1], bytes[used + 2], bytes[used + 3], bytes[used + 4])
            used += 5
        case 0..<0x40:
            let pixel = seen[Int(code)]
            red = UInt8(truncatingIfNeeded: pixel)
            green = UInt8(truncatingIfNeeded: pixel &>> 8)
            blue = UInt8(truncatingIfNeeded: pixel &>> 16)
            alpha = UInt8(truncatingIfNeeded: pixel &>> 24)
            used += 1
            return true
        case 0x40..<0x80:
            red &+= (code &>> 4 & 3) &- 2
            green &+= (code &>> 2 & 3) &- 2
            blue &+= (code & 3) &- 2
            used += 1
        case 0x80..<0xC0:
            guard bytes.count - used >= 2 else { return false }
            let second = bytes[used + 1]
            let difference = (code & 0x3F) &- 32
            green &+= difference
            red &+= difference &- 8 &+ second &>> 4
            blue &+= difference &- 8 &+ second & 15
            used += 2
        default:
            // The pixel is also stored: a file may begin with a run of the black that precedes all pixels.
            run = Int(code & 0x3F)
            used += 1
        }
        remember()
        return true
    }

    private mutating func remember() {
        // Wraps at 256, of which 64 is a divisor.
        let place = (red &* 3 &+ green &* 5 &+ blue &* 7 &+ alpha &* 11) & 63
        seen[Int(place)] =
            UInt32(red) | UInt32(green) &<< 8 | UInt32(blue) &<< 16 | UInt32(alpha) &<< 24
    }

    @inline(__always)
    private func store(at x: Int, _ row: UnsafeMutableRawPointer) {
        let pixel = row.assumingMemoryBound(to: UInt8.self) + x &* pixelBytes
        pixel[0] = isBlueFirst ? blue : red
        pixel[1] = green
        pixel[2] = isBlueFirst ? red : blue
        if pixelBytes == 4 { pixel[3] = isOpaque ? 255 : alpha }
    }
}
