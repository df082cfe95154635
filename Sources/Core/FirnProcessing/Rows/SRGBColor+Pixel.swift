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
        let floats = floats(for: format)
        var bytes = [UInt8](repeating: 0, count: 8)
        firn_row_store(format.layout, [floats.x, floats.y, floats.z, floats.w], &bytes, 1)
        return Array(bytes.prefix(format.bytesPerPixel))
    }
}

/// Writes pixels of one color.
enum PixelWord {
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
