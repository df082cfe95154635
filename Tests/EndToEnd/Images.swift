import FirnCodecs
import FirnImage
import FoundationEssentials

/// Creates images for the tests.
enum Images {
    /// Returns an image with color gradients in both directions.
    static func bitmap(_ width: Int, _ height: Int, alpha: Bool = false) throws -> Bitmap {
        try Bitmap(
            size: PixelSize(width: width, height: height), format: alpha ? .rgba8Straight : .rgb8, isOpaque: !alpha
        ) { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let pixel = pixels.row(y) + x * pixels.format.bytesPerPixel
                    pixel.storeBytes(of: UInt8(x * 255 / width), as: UInt8.self)
                    pixel.storeBytes(of: UInt8(y * 255 / height), toByteOffset: 1, as: UInt8.self)
                    pixel.storeBytes(of: UInt8((x + y) % 256), toByteOffset: 2, as: UInt8.self)
                    if alpha { pixel.storeBytes(of: UInt8(x % 2 * 255), toByteOffset: 3, as: UInt8.self) }
                }
            }
        }
    }

    /// A JPEG of 10 bits per sample and one pixel, which no version of libjpeg-turbo decodes.
    static let tenBitJPEG = Data([
        0xFF, 0xD8, 0xFF, 0xC1, 0x00, 0x0B, 0x0A, 0x00, 0x01, 0x00, 0x01, 0x01, 0x01, 0x11, 0x00,
        0xFF, 0xDA, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3F, 0x00, 0x00, 0xFF, 0xD9,
    ])

    static func png(_ width: Int, _ height: Int, alpha: Bool = false) throws -> Data {
        try PNGEncoder().encode(bitmap(width, height, alpha: alpha))
    }

    static func jpeg(_ width: Int, _ height: Int) throws -> Data {
        try JPEGEncoder().encode(bitmap(width, height))
    }

    static func webp(_ width: Int, _ height: Int) throws -> Data {
        try WebPEncoder().encode(bitmap(width, height))
    }

    /// Returns an animation of three frames of 64 by 64 pixels.
    static func animation(_ encoder: any AnimationEncoding) throws -> Data {
        let session = try encoder.makeAnimation(
            size: PixelSize(width: 64, height: 64), repetitions: .forever, isOpaque: true, colorProfile: nil,
            cancellation: CancellationFlag())
        for side in [64, 80, 100] {
            let image = try decoded(png(side, side))
            let cut = try ImageProcessors.Crop(x: 0, y: 0, width: 64, height: 64).process(ImageContainer(image: image))
            try session.append(cut.image, duration: Duration.milliseconds(100))
        }
        return try session.finish()
    }

    /// Returns a PNG that declares 100,000 x 100,000 pixels and contains hardly any.
    static func immensePNG() throws -> Data {
        var file = try png(8, 8)
        let sides = Data([0x00, 0x01, 0x86, 0xA0, 0x00, 0x01, 0x86, 0xA0])
        file.replaceSubrange(16..<24, with: sides)
        let crc = crc32(file[12..<29])
        file.replaceSubrange(29..<33, with: (0..<4).map { UInt8(truncatingIfNeeded: crc >> UInt32(24 - 8 * $0)) })
        return file
    }

    /// Returns the checksum of a PNG chunk (W3C PNG, annex D).
    private static func crc32(_ bytes: Data) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
        }
        return ~crc
    }

    /// Returns an uncompressed BMP of 24 bits, as large as a photograph.
    static func bitmapFile(width: Int32, height: Int32) -> Data {
        var data = Data("BM".utf8)
        func add(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        let bytes = width * 3 * height
        for number in [54 + bytes, 0, 54, 40, width, height] { add(number) }
        for number in [UInt16(1), 24] { add(number) }
        for number in [0, bytes, 2_835, 2_835, 0, 0] as [Int32] { add(number) }
        for place in 0..<Int(bytes) { data.append(UInt8(truncatingIfNeeded: place &* 37 ^ place >> 9)) }
        return data
    }

    /// A server's response that is not an image.
    static let page = Data("<!DOCTYPE html><html><body>Not here</body></html>".utf8)

    /// Returns whether the data starts like a PNG.
    static func isPNG(_ data: Data) -> Bool { ImageFormat(data) == .png }
}

extension Images {
    /// Returns the pixels of a file as straight RGBA.
    static func decoded(_ data: Data) throws -> Bitmap {
        let decoder = ImageDecoder()
        try decoder.append(data)
        decoder.finish()
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        return try decoder.frame(at: 0, options: options).image()
    }
}
