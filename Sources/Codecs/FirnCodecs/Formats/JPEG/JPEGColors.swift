/// Converts rows of components to pixels with libjpeg's integer arithmetic.
///
/// - Source: ISO/IEC 10918-5 (JFIF) §7 for the conversion; libjpeg-turbo jdcolor.c for its rounding.
enum JPEGColors {
    /// Writes a row of pixels of `layout` at `target`: one for each sample of `first`.
    ///
    /// Safety: the caller provides memory for so many pixels.
    ///
    /// - Parameters:
    ///   - second: as many samples as `first` or more; the same ones if the image is gray. So is `third`.
    ///   - isYCbCr: whether the components are luma and chroma.
    static func write(
        _ first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>, isYCbCr: Bool,
        to target: UnsafeMutableRawPointer, _ layout: SampleLayout
    ) {
        let width = first.count
        let second = second.extracting(0..<width)
        let third = third.extracting(0..<width)
        @inline(__always)
        func store4(_ make: (Int32, Int32, Int32) -> UInt32) {
            let pixels = target.assumingMemoryBound(to: UInt32.self)
            for x in 0..<width {
                pixels[x] = make(Int32(first[x]), Int32(second[x]), Int32(third[x])).littleEndian
            }
        }
        @inline(__always)
        func store3(_ make: (Int32, Int32, Int32) -> Color) {
            var bytes = target.assumingMemoryBound(to: UInt8.self)
            for x in 0..<width {
                let color = make(Int32(first[x]), Int32(second[x]), Int32(third[x]))
                bytes[0] = UInt8(truncatingIfNeeded: color.0)
                bytes[1] = UInt8(truncatingIfNeeded: color.1)
                bytes[2] = UInt8(truncatingIfNeeded: color.2)
                bytes += 3
            }
        }
        switch (layout, isYCbCr) {
        case (.bgra8, true): store4 { pixel(converted($0, $1, $2), red: 16) }
        case (.bgra8, false): store4 { pixel(($0, $1, $2), red: 16) }
        case (.rgba8, true): store4 { pixel(converted($0, $1, $2), red: 0) }
        case (.rgba8, false): store4 { pixel(($0, $1, $2), red: 0) }
        case (_, true): store3 { converted($0, $1, $2) }
        case (_, false): store3 { ($0, $1, $2) }
        }
    }

    /// Red, green, blue.
    private typealias Color = (Int32, Int32, Int32)

    @inline(__always)
    private static func converted(_ light: Int32, _ blue: Int32, _ red: Int32) -> Color {
        let blue = blue &- 128
        let red = red &- 128
        @inline(__always) func clamped(_ value: Int32) -> Int32 { max(0, min(255, value)) }
        return (
            clamped(light &+ (91_881 &* red &+ 32_768) &>> 16),
            clamped(light &+ (-22_554 &* blue &- 46_802 &* red &+ 32_768) &>> 16),
            clamped(light &+ (116_130 &* blue &+ 32_768) &>> 16)
        )
    }

    @inline(__always)
    private static func pixel(_ color: Color, red: Int32) -> UInt32 {
        UInt32(bitPattern: color.0 &<< red | color.1 &<< 8 | color.2 &<< (16 &- red)) | 0xFF00_0000
    }
}
