import FirnImage
import Foundation
import Testing

@testable import FirnCodecs

/// Tests reading and writing the gain maps of AVIF, HEIC and JPEG XL files.
@Suite struct StoredGainMapTests {
    private static var metadata: GainMap.Metadata {
        var metadata = GainMap.Metadata(maximum: SIMD3(2.5, 3, 3.5), alternateHeadroom: 3.25)
        metadata.minimum = SIMD3(-1, -0.5, 0.25)
        metadata.gamma = SIMD3(1, 0.75, 1.5)
        return metadata
    }

    private func map(_ size: PixelSize) throws -> GainMap {
        let image = try Bitmap(size: size, format: .rgb8) { pixels in
            for y in 0..<size.height {
                for x in 0..<3 * size.width {
                    let level = UInt8(truncatingIfNeeded: 40 + 8 * (x / 3) + 5 * y + 20 * (x % 3))
                    pixels.row(y).storeBytes(of: level, toByteOffset: x, as: UInt8.self)
                }
            }
        }
        return try #require(GainMap(image: image, metadata: Self.metadata))
    }

    private func encoded(_ format: ImageFormat, _ image: Bitmap, _ metadata: EncodingMetadata) throws -> Data {
        try #require(ImageEncoders.encoder(for: format, lossless: true))
            .encode(image, metadata: metadata, cancellation: CancellationFlag())
    }

    @Test(arguments: [ImageFormat.avif, .jxl], [true, false])
    func `a written map is read with its pixels and numbers`(format: ImageFormat, hasAlpha: Bool) throws {
        let waves = try JPEGImages.waves(width: 24, height: 16).converted(to: .rgba8Straight).packedBytes
        let pixels = try Bitmap(size: PixelSize(width: 24, height: 16), format: .rgba8Straight) { pixels in
            for (index, byte) in waves.enumerated() {
                let level = index % 4 == 3 && hasAlpha ? UInt8(clamping: index % 200) : byte
                pixels.row(index / 96).storeBytes(of: level, toByteOffset: index % 96, as: UInt8.self)
            }
        }
        let map = try map(PixelSize(width: 12, height: 8))
        let exif = hasAlpha ? HandmadeEXIF(orientation: 1).data : nil
        let plain = try encoded(format, pixels, EncodingMetadata(exif: exif))
        let file = try encoded(format, pixels, EncodingMetadata(exif: exif, gainMap: map))
        let session = try session(file)
        let properties = try #require(try session.properties())
        #expect(properties.gainMap?.kind == "iso" && properties.gainMap?.headroom == 3.25)
        #expect((properties.exif != nil) == hasAlpha && properties.frameCount == 1 && properties.hasAlpha == hasAlpha)
        let read = try #require(try session.gainMap())
        #expect(read.metadata == Self.metadata && read.image.packedBytes == map.image.packedBytes)
        // The base is decoded as without a map.
        let expected = try FirnCodecsTests.session(plain).decode(straight())
        #expect(try session.decode(straight()).packedBytes == expected.packedBytes)
        #expect(
            try FirnCodecsTests.session(file, inPiecesOf: 50).gainMap()?.image.packedBytes == read.image.packedBytes)
        #expect(try FirnCodecsTests.session(plain).gainMap() == nil)
        // Not more pixels than the base has.
        let large = try encoded(format, pixels, EncodingMetadata(gainMap: self.map(PixelSize(40))))
        #expect(try FirnCodecsTests.session(large).gainMap()?.image.size == PixelSize(width: 24, height: 16))
    }

    /// The second image of the sample, as stored.
    private func second() throws -> [UInt8] {
        var options = straight()
        (options.frame, options.pixelFormat) = (1, .rgb8)
        return try session(HandmadeHEIC.images()).decode(options).packedBytes
    }

    @Test func `the derived image of a HEIC file has its map`() throws {
        let file = HandmadeHEIC.images(map: .tone([0] + Self.metadata.iso))
        let session = try session(file)
        let properties = try #require(try session.properties())
        #expect(properties.gainMap?.headroom == 3.25 && properties.frameCount == 1)
        let map = try #require(try session.gainMap())
        #expect(map.metadata == Self.metadata)
        #expect(try map.image.packedBytes == second())
        // A later version of the item, and of the numbers.
        for changed in [[1] + Self.metadata.iso, [0, 0, 1] + Self.metadata.iso.dropFirst(2)] {
            #expect(try FirnCodecsTests.session(HandmadeHEIC.images(map: .tone(changed))).gainMap() == nil)
        }
    }

    /// Returns EXIF data with Apple's maker notes: numbers in thousandths.
    private func exif(_ numbers: [(tag: UInt8, value: Int)]) -> Data {
        func big(_ value: Int, _ count: Int) -> [UInt8] { value.bigEndianBytes(count) }
        let start = 14 + 2 + 12 * numbers.count + 4
        var notes: [UInt8] = Array("Apple iOS\0".utf8) + [0, 1] + Array("MM".utf8) + big(numbers.count, 2)
        for (index, number) in numbers.enumerated() {
            notes += [0, number.tag, 0, 10] + big(1, 4) + big(start + 8 * index, 4)
        }
        notes += big(0, 4) + numbers.flatMap { big($0.value, 4) + big(1_000, 4) }
        let details = big(1, 2) + [0x92, 0x7C, 0, 7] + big(notes.count, 4) + big(44, 4) + big(0, 4)
        return Data(
            Array("MM\0*".utf8) + big(8, 4) + big(1, 2) + [0x87, 0x69, 0, 4] + big(1, 4) + big(26, 4) + big(0, 4)
                + details
                + notes)
    }

    @Test(arguments: [
        (500, 0, 1.8), (500, 50, 1.601 - 0.101 * 0.05), (1_000, 5, 2.65), (1_010, 100, 2.303 - 0.0303),
        (100, -300, 7.8),
        (2_000, 8_000, 0),
    ])
    func `maker notes state the headroom of Apple's maps`(first: Int, second: Int, stops: Double) throws {
        let file = HandmadeHEIC.images(map: .apple(exif: exif([(33, first), (48, second)])))
        let session = try session(file)
        let properties = try #require(try session.properties())
        #expect(properties.gainMap?.kind == "apple" && properties.frameCount == 1)
        #expect(abs(try #require(properties.gainMap?.headroom) - stops) < 1e-6)
        let map = try #require(try session.gainMap())
        #expect(
            abs(map.metadata.alternateHeadroom - stops) < 1e-6
                && map.metadata.maximum.x == map.metadata.alternateHeadroom)
        let source = try self.second()
        for (value, stored) in zip(map.image.packedBytes, source) {
            let encoded = Double(stored) / 255
            let light = encoded < 0.081 ? encoded / 4.5 : pow((encoded + 0.099) / 1.099, 1 / 0.45)
            let expected = 1 + (exp2(stops) - 1) * light
            #expect(abs(exp2(stops * Double(value) / 255) / expected - 1) < 0.011)
        }
    }

    @Test func `maps of Apple without a headroom are ignored`() throws {
        for exif in [exif([(48, 0)]), exif([]), Data(), Data("MM\0*".utf8)] {
            let session = try session(HandmadeHEIC.images(map: .apple(exif: exif)))
            #expect(try session.properties()?.gainMap?.headroom == nil)
            #expect(try session.gainMap() == nil)
        }
        // One of the two numbers.
        #expect(try session(HandmadeHEIC.images(map: .apple(exif: exif([(33, 0)])))).gainMap() != nil)
    }

    @Test func `the headroom in the packet of Apple's map precedes maker notes`() {
        let packet = Data("<x:xmpmeta HDRGainMap:HDRGainMapHeadroom='4'/>".utf8)
        #expect(GainMap.appleHeadroom(xmp: packet, exif: exif([(33, 500)])) == 2)
        for text in ["nan", "-1", "x", "inf"] {
            let packet = Data("<x:xmpmeta HDRGainMap:HDRGainMapHeadroom='\(text)'/>".utf8)
            #expect(GainMap.appleHeadroom(xmp: packet, exif: nil) == nil)
        }
    }

    @Test(arguments: ["avif", "jxl", "tone", "apple"])
    func `a damaged file has its map, another one, or none`(kind: String) throws {
        let image = try JPEGImages.waves(width: 24, height: 16)
        let map = try map(PixelSize(width: 12, height: 8))
        let whole =
            switch kind {
            case "tone": HandmadeHEIC.images(map: .tone([0] + Self.metadata.iso))
            case "apple": HandmadeHEIC.images(map: .apple(exif: exif([(33, 500), (48, 0)])))
            default: try encoded(ImageFormat(rawValue: kind), image, EncodingMetadata(gainMap: map))
            }
        for count in stride(from: 12, to: whole.count, by: 37) { _ = try? session(whole.prefix(count)).gainMap() }
        for place in stride(from: 16, to: min(whole.count, 900), by: 5) {
            for value: UInt8 in [0, 0xFF] {
                var changed = whole
                changed[place] = value
                _ = try? session(changed).gainMap()
            }
        }
    }
}
