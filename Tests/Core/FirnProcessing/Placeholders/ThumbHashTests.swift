import FirnImage
import FirnProcessing
import FoundationEssentials
import Testing

/// Tests the photograph of a flower and the drawing with alpha that the algorithm's author publishes. Hashes, averages
/// and proportions are the reference's; pixels are computed from the description, in double precision.
@Suite struct ThumbHashTests {
    static let flower: [UInt8] = [
        0x93, 0x4A, 0x06, 0x2D, 0x06, 0x92, 0x56, 0xC3, 0x74, 0x05, 0x58, 0x67, 0xDA, 0x8A, 0xB6, 0x67, 0x94, 0x90,
        0x51, 0x07, 0x19,
    ]
    static let tux: [UInt8] = [
        0xA1, 0x19, 0x8A, 0x1C, 0x02, 0x38, 0x3A, 0x25, 0xD7, 0x27, 0xF6, 0x8B, 0x97, 0x1F, 0xF7, 0xF9, 0x71, 0x7F,
        0x80, 0x37, 0x67, 0x58, 0x98, 0x79, 0x06,
    ]
    static let landscape: [UInt8] = [
        0xDC, 0xE7, 0x11, 0x25, 0x80, 0x78, 0x77, 0x7F, 0x88, 0x87, 0x87, 0x78, 0x48, 0x77, 0x88, 0x88, 0x70, 0xFA,
        0x3D, 0xC0,
    ]

    private func expect(
        _ hash: [UInt8], width: Int, height: Int, isOpaque: Bool, pixels: [(Int, Int, [Int])],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let image = try #require(ThumbHash(Data(hash))?.bitmap(), sourceLocation: sourceLocation)
        #expect(image.size == PixelSize(width: width, height: height), sourceLocation: sourceLocation)
        #expect(image.isOpaque == isOpaque, sourceLocation: sourceLocation)
        for (x, y, color) in pixels {
            let seen = image.stored(x, y)
            let components = [seen.red, seen.green, seen.blue, seen.alpha].map(Int.init)
            for (a, b) in zip(components, color) {
                #expect(abs(a - b) <= 1, "\(x), \(y): \(components)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test func `A portrait photograph has its pixels`() throws {
        let pixels = [
            (0, 0, [27, 53, 53, 255]), (11, 16, [160, 94, 6, 255]), (22, 31, [159, 104, 0, 255]),
            (3, 30, [80, 54, 0, 255]),
        ]
        try expect(Self.flower, width: 23, height: 32, isOpaque: true, pixels: pixels)
    }

    @Test func `A drawing with alpha is rendered multiplied by alpha`() throws {
        let pixels = [
            (0, 0, [0, 0, 0, 0]), (13, 16, [203, 211, 214, 255]), (25, 31, [28, 22, 4, 42]), (3, 30, [69, 54, 9, 100]),
        ]
        try expect(Self.tux, width: 26, height: 32, isOpaque: false, pixels: pixels)
    }

    @Test func `Averages and aspect ratios equal the reference's`() throws {
        let flower = try #require(ThumbHash(Data(Self.flower)))
        #expect(flower.averageColor == SRGBColor(red: 123, green: 87, blue: 20))
        #expect(abs(flower.aspectRatio - 0.714285731) < 1e-6)
        #expect(!flower.hasAlpha)
        let tux = try #require(ThumbHash(Data(Self.tux)))
        #expect(tux.averageColor == SRGBColor(red: 157, green: 145, blue: 98, alpha: 136))
        #expect(abs(tux.aspectRatio - 0.8) < 1e-6)
        #expect(tux.hasAlpha)
    }

    @Test func `Truncated data is not a hash, wherever it is cut`() {
        for hash in [Self.flower, Self.tux] {
            for count in 0..<hash.count { #expect(ThumbHash(Data(hash.prefix(count))) == nil, "\(count)") }
        }
    }

    @Test func `No bytes cause a failure`() {
        var random = RepeatableBytes(state: 7)
        for _ in 0..<200 {
            let bytes = random.bytes(30)
            guard let hash = ThumbHash(Data(bytes)) else { continue }
            #expect(hash.bitmap() != nil)
        }
    }

    private struct RepeatableBytes {
        var state: UInt64
        mutating func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            }
        }
    }
}
