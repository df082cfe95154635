import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests files with more frames than `ImageLimits.maximumFrames`: the rows of Documentation/BadInput.md.
@Suite struct FrameLimitTests {
    private var limits: ImageLimits {
        var limits = ImageLimits()
        limits.maximumFrames = 2
        return limits
    }

    private func decoder(_ data: Data) throws -> ImageDecoder {
        let decoder = ImageDecoder(decoders: ImageDecoders.standard, limits: limits)
        try decoder.append(data)
        decoder.finish()
        return decoder
    }

    @Test func `an animation with more frames fails, one with as many does not`() throws {
        let encoders: [any AnimationEncoding] = [GIFEncoder(), WebPEncoder(), JXLEncoder()]
        for encoder in encoders {
            for count in [2, 3] {
                let animation = try encoder.makeAnimation(size: PixelSize(width: 8, height: 8))
                for number in 0..<count {
                    let image = try Bitmap(size: PixelSize(width: 8, height: 8), format: .rgba8Straight) { pixels in
                        for row in 0..<8 {
                            for byte in 0..<32 {
                                let level = byte % 4 == 3 ? 255 : UInt8(50 * number + 50)
                                pixels.row(row).storeBytes(of: level, toByteOffset: byte, as: UInt8.self)
                            }
                        }
                    }
                    try animation.append(image, duration: .milliseconds(100))
                }
                let decoder = try decoder(animation.finish())
                if count == 2 {
                    #expect(try decoder.frame(at: 1).image().size.width == 8)
                } else {
                    let error = #expect(throws: ImageError.self) { try decoder.frame(at: 2) }
                    #expect(error?.fault == .limit, "\(encoder): \(String(describing: error))")
                    #expect(decoder.error?.fault == .limit, "\(encoder)")
                }
            }
        }
    }

    @Test func `of the pages of a TIFF the first are counted`() throws {
        let decoder = try decoder(pages(3))
        #expect(decoder.status == .complete && decoder.frameCount == 2)
        #expect(try decoder.frame(at: 1).image().size == PixelSize(width: 1, height: 1))
        let error = #expect(throws: ImageError.self) { try decoder.frame(at: 2) }
        #expect(error?.fault == .request)
    }

    /// Returns a TIFF with pages of one gray pixel.
    private func pages(_ count: Int) -> Data {
        var file = Data("II*\0\0\0\0\0".utf8)
        var link = 4
        func add(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { file.append(contentsOf: $0) }
        }
        for _ in 0..<count {
            let pixel = UInt32(file.count)
            file.append(contentsOf: [0x80, 0])
            withUnsafeBytes(of: UInt32(file.count).littleEndian) { file.replaceSubrange(link..<link + 4, with: $0) }
            let fields: [(tag: UInt16, type: UInt16, value: UInt32)] = [
                (256, 3, 1), (257, 3, 1), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, pixel), (277, 3, 1),
                (278, 3, 1), (279, 4, 1),
            ]
            add(UInt16(fields.count))
            for field in fields {
                add(field.tag)
                add(field.type)
                add(UInt32(1))
                add(field.value)
            }
            link = file.count
            add(UInt32(0))
        }
        return file
    }
}
