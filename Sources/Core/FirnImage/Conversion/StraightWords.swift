/// Pixels as straight RGBA with 16 bits per component: the intermediate form when either layout is wide.
///
/// Exact in both directions for components of 8 bits, because 65,535 is 257 · 255. Linear light outside 0...1 is
/// clamped.
enum StraightWords {
    /// Loads a pixel as straight words; transparent premultiplied pixels are black.
    @inline(__always)
    static func load(
        _ pixel: UnsafeRawPointer, _ format: PixelFormat, light: UnsafeBufferPointer<UInt16>
    ) -> SIMD4<UInt16> {
        switch format {
        case .rgb8:
            let bytes = SIMD4(
                pixel.load(as: UInt8.self), pixel.load(fromByteOffset: 1, as: UInt8.self),
                pixel.load(fromByteOffset: 2, as: UInt8.self), 255)
            return SIMD4<UInt16>(truncatingIfNeeded: bytes) &* 257
        case .rgba8Straight:
            return SIMD4<UInt16>(truncatingIfNeeded: pixel.loadUnaligned(as: SIMD4<UInt8>.self)) &* 257
        case .bgra8Premultiplied:
            return divided(SIMD4<UInt16>(truncatingIfNeeded: pixel.loadUnaligned(as: SIMD4<UInt8>.self)))
        case .rgba16Straight:
            return pixel.loadUnaligned(as: SIMD4<UInt16>.self)
        case .rgbaHalfPremultiplied:
            return encoded(pixel.loadUnaligned(as: SIMD4<UInt16>.self), light)
        }
    }

    /// Stores straight words as a pixel of `format`, without alpha if the layout has none.
    @inline(__always)
    static func store(
        _ words: SIMD4<UInt16>, _ pixel: UnsafeMutableRawPointer, _ format: PixelFormat,
        light: UnsafeBufferPointer<Float>
    ) {
        switch format {
        case .rgb8:
            let bytes = rounded(words)
            pixel.storeBytes(of: bytes.x, as: UInt8.self)
            pixel.storeBytes(of: bytes.y, toByteOffset: 1, as: UInt8.self)
            pixel.storeBytes(of: bytes.z, toByteOffset: 2, as: UInt8.self)
        case .rgba8Straight: pixel.storeBytes(of: rounded(words), as: SIMD4<UInt8>.self)
        case .bgra8Premultiplied: pixel.storeBytes(of: multiplied(words), as: SIMD4<UInt8>.self)
        case .rgba16Straight: pixel.storeBytes(of: words, as: SIMD4<UInt16>.self)
        case .rgbaHalfPremultiplied: pixel.storeBytes(of: linear(words, light), as: SIMD4<UInt16>.self)
        }
    }

    /// Returns `word / 257`, rounded to nearest.
    static func rounded(_ words: SIMD4<UInt16>) -> SIMD4<UInt8> {
        let wide = SIMD4<UInt32>(truncatingIfNeeded: words)
        return SIMD4<UInt8>(truncatingIfNeeded: (wide &* 255 &+ 32_895) &>> 16)
    }

    /// Divides premultiplied BGRA of 8 bits by alpha: `color · 65,535 / alpha`, rounded to nearest.
    private static func divided(_ pixel: SIMD4<UInt16>) -> SIMD4<UInt16> {
        let alpha = UInt32(pixel.w)
        let words = SIMD4<UInt16>(pixel.z, pixel.y, pixel.x, pixel.w)
        if alpha == 255 { return words &* 257 }
        if alpha == 0 { return SIMD4() }
        // A color above its alpha is invalid and counts as alpha.
        func quotient(_ color: UInt16) -> UInt16 {
            UInt16(truncatingIfNeeded: (min(UInt32(color), alpha) &* 65_535 &+ alpha / 2) / alpha)
        }
        return SIMD4(quotient(words.x), quotient(words.y), quotient(words.z), pixel.w &* 257)
    }

    /// Returns premultiplied BGRA of 8 bits: `color · alpha`, rounded once.
    private static func multiplied(_ words: SIMD4<UInt16>) -> SIMD4<UInt8> {
        let bytes = rounded(words)
        if words.w == 65_535 { return SIMD4(bytes.z, bytes.y, bytes.x, 255) }
        // Multiplies by the stored alpha, so that dividing by it restores the color.
        let alpha = UInt64(bytes.w)
        func product(_ color: UInt16) -> UInt8 {
            UInt8(truncatingIfNeeded: (UInt64(color) &* alpha &+ 32_767) / 65_535)
        }
        return SIMD4(product(words.z), product(words.y), product(words.x), bytes.w)
    }

    /// Encodes halves of premultiplied linear light.
    ///
    /// - Parameter words: the encoded value of every half that is not negative.
    private static func encoded(_ halves: SIMD4<UInt16>, _ words: UnsafeBufferPointer<UInt16>) -> SIMD4<UInt16> {
        func word(_ half: UInt16) -> UInt16 { half < 0x8000 ? words[Int(half)] : 0 }
        let numbers = HalfFloats.numbers(halves)
        let alpha = min(max(numbers.w, 0), 1)
        if alpha == 1 { return SIMD4(word(halves.x), word(halves.y), word(halves.z), 65_535) }
        guard alpha > 0 else { return SIMD4() }
        let color = numbers / alpha
        return SIMD4(
            LinearLight.word(color.x), LinearLight.word(color.y), LinearLight.word(color.z),
            UInt16(exactly: (alpha * 65_535).rounded()) ?? 0)
    }

    /// Converts to halves of premultiplied linear light.
    private static func linear(_ words: SIMD4<UInt16>, _ light: UnsafeBufferPointer<Float>) -> SIMD4<UInt16> {
        var numbers = SIMD4(light[Int(words.x)], light[Int(words.y)], light[Int(words.z)], 1)
        numbers *= Float(words.w) / 65_535
        return HalfFloats.halves(numbers)
    }

    /// The encoded word of every half from 0 up; NaN gives 65,535.
    static let ofHalves: [UInt16] = (0..<0x8000).map { half in
        LinearLight.word(HalfFloats.numbers(SIMD4(repeating: UInt16(truncatingIfNeeded: half))).x)
    }
}
