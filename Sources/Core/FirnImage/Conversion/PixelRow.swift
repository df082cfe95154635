/// One row of pixels to convert to another layout.
///
/// Pixels of four bytes are handled as one little-endian word. Its even bytes (first and third color) and its odd bytes
/// (second color and alpha) are computed side by side in 16-bit lanes.
struct PixelRow {
    let base: UnsafeRawPointer
    let count: Int
    /// True if every alpha is 255.
    let isOpaque: Bool

    private static let evenBytes: UInt32 = 0x00FF_00FF

    private func word(_ x: Int) -> UInt32 {
        UInt32(littleEndian: (base + 4 * x).loadUnaligned(as: UInt32.self))
    }

    private func store(_ word: UInt32, _ x: Int, in target: UnsafeMutableRawPointer) {
        target.storeBytes(of: word.littleEndian, toByteOffset: 4 * x, as: UInt32.self)
    }

    /// Converts straight RGBA to premultiplied BGRA: `c·a / 255`, rounded to nearest.
    func multiplyByAlpha(into target: UnsafeMutableRawPointer) {
        if isOpaque { return exchange(into: target) }
        let half: UInt32 = 0x0080_0080
        let even = PixelRow.evenBytes
        for x in 0..<count {
            let pixel = word(x)
            let alpha = pixel >> 24
            // (t + t/256) / 256 with t = c·a + 128 is the rounded c·a / 255 for every pair of bytes. No lane can
            // overflow: 255·255 + 128 + 254 < 65536.
            var redBlue = (pixel & even) &* alpha &+ half
            redBlue = ((redBlue &+ (redBlue >> 8 & even)) >> 8) & even
            // 255·255 / 255 leaves alpha unchanged.
            var green = (pixel >> 8 & 0xFF) &* alpha &+ 0x80
            green = (green &+ (green >> 8)) >> 8
            store((redBlue >> 16 | redBlue << 16) | green << 8 | alpha << 24, x, in: target)
        }
    }

    /// Converts premultiplied BGRA to straight RGBA: `c·255 / a`, rounded to nearest; black if `a` is 0.
    func divideByAlpha(into target: UnsafeMutableRawPointer) {
        if isOpaque { return exchange(into: target) }
        PixelRow.reciprocals.withUnsafeBufferPointer { reciprocals in
            for x in 0..<count {
                let pixel = word(x)
                let alpha = pixel >> 24
                if alpha == 255 {
                    store(PixelRow.exchanged(pixel), x, in: target)
                } else if alpha == 0 {
                    store(0, x, in: target)
                } else {
                    let reciprocal = reciprocals[Int(alpha)]
                    let red = PixelRow.quotient(pixel >> 16 & 0xFF, alpha, reciprocal)
                    let green = PixelRow.quotient(pixel >> 8 & 0xFF, alpha, reciprocal)
                    let blue = PixelRow.quotient(pixel & 0xFF, alpha, reciprocal)
                    store(red | green << 8 | blue << 16 | alpha << 24, x, in: target)
                }
            }
        }
    }

    /// Converts opaque RGB to four bytes per pixel.
    func widen(into target: UnsafeMutableRawPointer, redFirst: Bool) {
        let (first, third) = redFirst ? (0, 2) : (2, 0)
        let bytes = base.assumingMemoryBound(to: UInt8.self)
        for x in 0..<count {
            let low = UInt32(bytes[3 * x + first])
            let high = UInt32(bytes[3 * x + third])
            store(low | UInt32(bytes[3 * x + 1]) << 8 | high << 16 | 0xFF00_0000, x, in: target)
        }
    }

    /// Converts four bytes per pixel to RGB. Returns false at the first pixel that is not opaque; the row is then
    /// unfinished.
    func narrow(into target: UnsafeMutableRawPointer, redFirst: Bool) -> Bool {
        let bytes = target.assumingMemoryBound(to: UInt8.self)
        for x in 0..<count {
            let pixel = redFirst ? word(x) : PixelRow.exchanged(word(x))
            guard isOpaque || pixel >> 24 == 255 else { return false }
            bytes[3 * x] = UInt8(truncatingIfNeeded: pixel)
            bytes[3 * x + 1] = UInt8(truncatingIfNeeded: pixel >> 8)
            bytes[3 * x + 2] = UInt8(truncatingIfNeeded: pixel >> 16)
        }
        return true
    }

    /// Exchanges red and blue.
    private func exchange(into target: UnsafeMutableRawPointer) {
        for x in 0..<count { store(PixelRow.exchanged(word(x)), x, in: target) }
    }

    private static func exchanged(_ pixel: UInt32) -> UInt32 {
        let redBlue = pixel & evenBytes
        return (pixel & ~evenBytes) | redBlue >> 16 | redBlue << 16
    }

    /// `2^24 / a`, rounded up. Exact as a divisor of every number below 2^16, because the error stays below `255·65152
    /// < 2^24`.
    private static let reciprocals: [UInt64] = (0..<256).map {
        $0 == 0 ? 0 : ((1 << 24) + UInt64(truncatingIfNeeded: $0) - 1) / UInt64(truncatingIfNeeded: $0)
    }

    /// Returns `color·255 / alpha`, rounded. A color above its alpha is invalid and counts as alpha.
    private static func quotient(_ color: UInt32, _ alpha: UInt32, _ reciprocal: UInt64) -> UInt32 {
        let numerator = UInt64(min(color, alpha)) &* 255 &+ UInt64(alpha >> 1)
        return UInt32(truncatingIfNeeded: (numerator &* reciprocal) >> 24)
    }
}
