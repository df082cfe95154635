import FirnImage
import FirnProcessing
import FoundationEssentials
import Testing

/// Tests the hashes of images.
///
/// Origin of the vectors: the images are those of ``image(_:_:hasAlpha:)``. Their BlurHashes were computed with the
/// arithmetic of the algorithm's published encoder in C, in single precision. Their ThumbHashes were computed with that
/// of the published reference, in double precision, in Python.
@Suite struct PlaceholderEncodingTests {
    private func image(_ width: Int, _ height: Int, hasAlpha: Bool = false) throws -> Bitmap {
        try Bitmap(
            size: PixelSize(width: width, height: height), format: .rgba8Straight, isOpaque: !hasAlpha
        ) { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let alpha = hasAlpha ? min(255, (x * 7 + y * 3) % 300) : 255
                    let color = SIMD4(
                        UInt8(x * 255 / width), UInt8(y * 255 / height), UInt8((x * x + 3 * y) % 256), UInt8(alpha))
                    pixels.row(y).storeBytes(of: color, toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
                }
            }
        }
    }

    @Test(arguments: [
        (30, 20, 4, 3, "LTG[.o2lwsX3qQWBjue?gHfkfPfk"),
        (17, 40, 3, 5, "cTGu]t2*wsl]acjxgdfkfSnkayjsfifRfR"),
        (5, 5, 1, 1, "00Eyah"),
        (100, 75, 4, 3, "LVHLh_2Y$4Sghmaxjrf5gafRfPfR"),
    ])
    func `A BlurHash equals the reference's`(width: Int, height: Int, columns: Int, rows: Int, text: String) throws {
        let image = try image(width, height)
        let hash = try #require(BlurHash(image, columns: columns, rows: rows))
        #expect(hash.text == text)
        // The hash is the same for every layout.
        #expect(try BlurHash(image.converted(to: .rgb8), columns: columns, rows: rows) == hash)
        #expect(BlurHash(text) == hash)
    }

    @Test(arguments: [
        (30, 20, false, "5d080e2d9a5076897187888787778878e59008f788"),
        (17, 40, false, "5df80d231a60617888778777f4d008f788"),
        (64, 64, false, "df070a371a71777770777777876778887777071889808f07"),
        (100, 75, true, "e0f785248e0980a780978878081899708f97a91b0879747707"),
        (40, 90, true, "dff7851a1219a19097778980a10af69879772980177c78"),
    ])
    func `A ThumbHash equals the reference's`(width: Int, height: Int, hasAlpha: Bool, hex: String) throws {
        let hash = try #require(ThumbHash(try image(width, height, hasAlpha: hasAlpha)))
        let text = hash.data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(text == hex)
        #expect(hash.hasAlpha == hasAlpha)
    }

    @Test func `A hash of an image renders the blurred image`() throws {
        let image = try Bitmap(size: PixelSize(width: 600, height: 400), format: .rgb8) { pixels in
            for y in 0..<400 {
                for x in 0..<600 {
                    pixels.row(y).storeBytes(of: x < 300 ? 230 : 20, toByteOffset: 3 * x, as: UInt8.self)
                    pixels.row(y).storeBytes(of: 60, toByteOffset: 3 * x + 1, as: UInt8.self)
                    pixels.row(y).storeBytes(of: x < 300 ? 20 : 230, toByteOffset: 3 * x + 2, as: UInt8.self)
                }
            }
        }
        let blur = try #require(BlurHash(image)?.bitmap())
        let thumb = try #require(ThumbHash(image)?.bitmap())
        for drawn in [blur, thumb] {
            let left = drawn.stored(2, drawn.size.height / 2)
            let right = drawn.stored(drawn.size.width - 3, drawn.size.height / 2)
            #expect(left.red > 150 && Int(left.red) > Int(left.blue) + 50, "\(left)")
            #expect(right.blue > 150 && Int(right.blue) > Int(right.red) + 50, "\(right)")
        }
        #expect(thumb.size.width > thumb.size.height)
    }

    @Test func `The text and the bytes of a hash are kept, without bytes after them`() throws {
        let flower = Data(ThumbHashTests.flower)
        #expect(ThumbHash(flower)?.data == flower)
        #expect(ThumbHash(flower + [1, 2, 3])?.data == flower)
        #expect(ThumbHash(Data(ThumbHashTests.tux))?.data == Data(ThumbHashTests.tux))
        #expect(BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj")?.text == "LEHV6nWB2yk8pyo0adR*.7kCMdnj")
    }

    @Test func `Images of one pixel, one row, or only transparent pixels have hashes`() throws {
        for size in [(1, 1), (300, 1), (1, 300), (7, 5)] {
            for alpha in [UInt8(0), 1, 255] {
                let image = try Bitmap(size: PixelSize(width: size.0, height: size.1), format: .rgba8Straight) {
                    for y in 0..<size.1 {
                        for x in 0..<size.0 {
                            $0.row(y).storeBytes(
                                of: SIMD4(9, 99, 200, alpha), toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
                        }
                    }
                }
                #expect(BlurHash(image)?.bitmap() != nil)
                #expect(BlurHash(image, columns: 9, rows: 9) != nil)
                #expect(ThumbHash(image)?.bitmap() != nil)
                #expect((image.dominantColor() == nil) == (alpha == 0))
            }
        }
    }

    @Test(arguments: [(0, 3), (10, 3), (4, 0), (4, 10), (-1, Int.max)])
    func `Invalid numbers of waves create no hash`(columns: Int, rows: Int) throws {
        #expect(BlurHash(try image(4, 4), columns: columns, rows: rows) == nil)
    }

    @Test func `The dominant color is the most frequent one, not the mean`() throws {
        let image = try Bitmap(size: PixelSize(width: 90, height: 10), format: .rgb8) { pixels in
            for y in 0..<10 {
                for x in 0..<90 {
                    let color: SIMD3<UInt8> = x < 50 ? SIMD3(200, 30, 40) : SIMD3(UInt8(x * 2), 250, UInt8(x))
                    for channel in 0..<3 {
                        pixels.row(y).storeBytes(of: color[channel], toByteOffset: 3 * x + channel, as: UInt8.self)
                    }
                }
            }
        }
        #expect(image.dominantColor() == SRGBColor(red: 200, green: 30, blue: 40))
        let average = try #require(image.averageColor())
        #expect(average.green > 100)
    }

    @Test func `Transparent pixels do not affect colors`() throws {
        let image = try Bitmap(size: PixelSize(width: 10, height: 2), format: .rgba8Straight) { pixels in
            for y in 0..<2 {
                for x in 0..<10 {
                    let color: SIMD4<UInt8> = x < 8 ? SIMD4(255, 0, 0, 0) : SIMD4(10, 20, 240, 255)
                    pixels.row(y).storeBytes(of: color, toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
                }
            }
        }
        #expect(image.dominantColor() == SRGBColor(red: 10, green: 20, blue: 240))
        #expect(image.averageColor() == SRGBColor(red: 10, green: 20, blue: 240, alpha: 51))
    }
}
