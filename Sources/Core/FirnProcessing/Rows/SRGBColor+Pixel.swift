internal import FirnImage

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
