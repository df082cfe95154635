import FirnImage

/// A reference image in floating point: red, green, blue, alpha from 0 to 1, multiplied by alpha.
struct PlainImage {
    var size: PixelSize
    var pixels: [SIMD4<Double>]

    init(_ size: PixelSize, _ pixel: (Int, Int) -> SIMD4<Double>) {
        self.size = size
        pixels = (0..<size.height).flatMap { y in (0..<size.width).map { pixel($0, y) } }
    }

    /// Creates a reference image of a bitmap in any layout.
    init(_ image: Bitmap) {
        let bytes = image.packedBytes
        let format = image.format
        self.init(image.size) { x, y in
            let start = (y * image.size.width + x) * format.bytesPerPixel
            func word(_ index: Int) -> UInt16 {
                UInt16(bytes[start + 2 * index]) | UInt16(bytes[start + 2 * index + 1]) << 8
            }
            func byte(_ index: Int) -> Double { Double(bytes[start + index]) / 255 }
            switch format {
            case .rgb8: return SIMD4(byte(0), byte(1), byte(2), 1)
            case .bgra8Premultiplied: return SIMD4(byte(2), byte(1), byte(0), byte(3))
            case .rgba8Straight: return SIMD4(byte(0), byte(1), byte(2), 1) * byte(3)
            case .rgba16Straight:
                let alpha = Double(word(3)) / 65_535
                return SIMD4(Double(word(0)), Double(word(1)), Double(word(2)), 65_535) / 65_535 * alpha
            case .rgbaHalfPremultiplied:
                func number(_ index: Int) -> Double { Double(Float16(bitPattern: word(index))) }
                return SIMD4(number(0), number(1), number(2), number(3))
            }
        }
    }

    subscript(x: Int, y: Int) -> SIMD4<Double> { pixels[y * size.width + x] }

    /// Returns the pixel at a position, or the nearest edge pixel.
    func clamped(_ x: Int, _ y: Int) -> SIMD4<Double> {
        self[min(max(x, 0), size.width - 1), min(max(y, 0), size.height - 1)]
    }

    func map(_ change: (SIMD4<Double>) -> SIMD4<Double>) -> PlainImage {
        PlainImage(size) { change(self[$0, $1]) }
    }

    /// Returns the largest difference of a component, in levels of 8 bits; `nil` if the sizes differ.
    func difference(_ other: PlainImage) -> Double? {
        guard size == other.size else { return nil }
        return zip(pixels, other.pixels).map { pair in
            let difference = pair.0 - pair.1
            return max(difference.max(), -difference.min()) * 255
        }.max()
    }
}

extension Bitmap {
    /// Returns noise in a layout: colors with various alpha, some rows opaque, some invisible.
    static func test(_ size: PixelSize, _ format: PixelFormat, seed: UInt64 = 3) throws -> Bitmap {
        let noise = try Bitmap.noise(size, format: format == .rgb8 ? .rgb8 : .rgba8Straight, seed: seed)
        if format == .rgb8 { return noise }
        return try Bitmap(size: size, format: .rgba8Straight) { pixels in
            noise.withUnsafeBytes { bytes in
                for y in 0..<size.height {
                    for x in 0..<size.width * 4 {
                        var byte = bytes[y * noise.bytesPerRow + x]
                        if x % 4 == 3, y % 5 == 1 { byte = 255 }
                        if x % 4 == 3, y % 5 == 3 { byte = 0 }
                        pixels.row(y).storeBytes(of: byte, toByteOffset: x, as: UInt8.self)
                    }
                }
            }
        }.converted(to: format)
    }

    /// True if no color is above its alpha, for the premultiplied layout that ends at 1.
    var isValid: Bool {
        guard format == .bgra8Premultiplied else { return true }
        return pixels.allSatisfy { max($0[0], $0[1], $0[2]) <= $0[3] }
    }
}

extension ImageProcessing {
    /// Returns the processed image.
    func apply(_ image: Bitmap, _ context: ImageProcessingContext = ImageProcessingContext()) throws -> Bitmap {
        try process(ImageContainer(image: image), context: context).image
    }
}
