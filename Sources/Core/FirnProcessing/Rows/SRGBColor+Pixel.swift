internal import FirnImage
internal import CFirnProcessing

extension SRGBColor {
    /// Returns the color as floats multiplied by alpha; as linear light if `format` holds half floats.
    func floats(for format: PixelFormat) -> SIMD4<Float> {
        let alpha = Float(alpha) / 255
        func component(_ value: UInt8) -> Float {
            let encoded = Double(value) / 255
            return Float(format == .rgbaHalfPremultiplied ? LinearLight.decode(encoded) : encoded) * alpha
        }
        return SIMD4(component(red), component(green), component(blue), alpha)
    }

    /// Returns the bytes of one pixel of `format`.
    func pixel(for format: PixelFormat) -> [UInt8] {
        var floats = floats(for: format)
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.withUnsafeMutableBytes { bytes in
            withUnsafeBytes(of: &floats) { floats in
                guard let pixel = bytes.baseAddress, let numbers = floats.baseAddress else { return }
                PixelWord.store(numbers.assumingMemoryBound(to: Float.self), pixel, format)
            }
        }
        return Array(bytes.prefix(format.bytesPerPixel))
    }
}

/// Writes single pixels.
enum PixelWord {
    /// Writes one pixel in the layout of `format`.
    static func store(_ floats: UnsafePointer<Float>, _ pixel: UnsafeMutableRawPointer, _ format: PixelFormat) {
        firn_row_store(format.layout, floats, pixel, 1)
    }

    /// Fills `count` pixels with copies of `pixel`.
    static func fill(_ target: UnsafeMutableRawPointer, with pixel: [UInt8], count: Int) {
        guard count > 0, !pixel.isEmpty else { return }
        pixel.withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress else { return }
            target.copyMemory(from: first, byteCount: bytes.count)
        }
        // Doubles the copied part each time.
        var done = 1
        while done < count {
            let part = min(done, count - done)
            (target + done * pixel.count).copyMemory(from: target, byteCount: part * pixel.count)
            done += part
        }
    }
}
