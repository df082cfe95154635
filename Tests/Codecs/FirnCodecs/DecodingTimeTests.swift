import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests the limit of a decode's time, in every format of this build.
@Suite(.serialized) struct DecodingTimeTests {
    /// A file that takes longer than 20 µs.
    struct Sample: CustomTestStringConvertible {
        let name: String
        let file: @Sendable () throws -> Data

        var testDescription: String { name }
    }

    /// Returns an image of noise, which no format stores in few bytes.
    private static func noise(_ side: Int) throws -> Bitmap {
        var random = SeededGenerator(seed: 29)
        return try Bitmap(size: PixelSize(width: side, height: side), format: .rgba8Straight, isOpaque: true) {
            pixels in
            for y in 0..<side {
                for x in 0..<side {
                    let value = UInt32.random(in: 0...0xFF_FFFF, using: &random) | 0xFF00_0000
                    pixels.row(y).storeBytes(of: value.littleEndian, toByteOffset: 4 * x, as: UInt32.self)
                }
            }
        }
    }

    /// Returns a QOI file whose pixels are stored one by one.
    private static func qoi(_ side: Int) -> Data {
        var file = Data("qoif".utf8)
        for number in [side, side] { file += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        file += [3, 0]
        for pixel in 0..<side * side {
            file += [0xFE] + (0..<3).map { UInt8(truncatingIfNeeded: (pixel &* 2_654_435_761) >> (8 * $0)) }
        }
        return file + [0, 0, 0, 0, 0, 0, 0, 1]
    }

    private static func svg(_ shapes: Int) -> Data {
        let shapes = (0..<shapes).map {
            "<circle cx='\($0 % 400)' cy='\($0 * 7 % 400)' r='90' fill='#\(100 + $0 % 800)'/>"
        }
        return Data(
            "<svg xmlns='http://www.w3.org/2000/svg' width='400' height='400'>\(shapes.joined())</svg>".utf8)
    }

    private static let samples: [Sample] =
        ImageEncoders.formats.sorted { $0.rawValue < $1.rawValue }.map { format in
            Sample(name: format.rawValue) {
                let encoder = try #require(ImageEncoders.encoder(for: format))
                return try encoder.encode(noise(format == .ico ? 256 : 500))
            }
        } + [
            Sample(name: "interlaced png") {
                let rows = try noise(300).withUnsafeBytes { bytes in
                    (0..<300).map { y in Array(bytes[y * bytes.count / 300..<y * bytes.count / 300 + 1_200]) }
                }
                return HandmadePNG(width: 300, height: 300, colorType: 6, rows: rows, isInterlaced: true).data
            },
            Sample(name: "qoi") { qoi(500) },
        ]
        + (ImageDecoders.standard.contains { $0.recognizes(svg(1)) != nil } ? [Sample(name: "svg") { svg(2_000) }] : [])

    @Test(arguments: samples)
    func `a decode that takes longer than maximumDecodingTime ends (F29)`(sample: Sample) throws {
        let file = try sample.file()
        var limits = ImageLimits()
        // No machine writes that many pixels in this time.
        limits.maximumDecodingTime = .microseconds(20)
        let slow = try session(file, limits: limits)
        let error = decodingError { _ = try slow.decode(straight()) }
        #expect(error?.fault == .limit)
        #expect(error?.message == "takes longer to decode than allowed")
        #expect(error?.setting == "ImageLimits.maximumDecodingTime")
        limits.maximumDecodingTime = .seconds(600)
        #expect(try session(file, limits: limits).decode(straight()).size.width >= 256)
        limits.maximumDecodingTime = nil
        #expect(try session(file, limits: limits).decode(straight()).size.width >= 256)
    }

    #if SVG
    @Test func `a library that cannot be interrupted is left at the limit of time`() throws {
        let file = DecodingTimeTests.svg(100_000)
        var limits = ImageLimits()
        limits.maximumDecodingTime = nil
        func time() throws -> Duration {
            let start = ContinuousClock.now
            let slow = try session(file, limits: limits)
            let error = decodingError { _ = try slow.decode(straight()) }
            #expect(error?.fault == (limits.maximumDecodingTime == nil ? nil : .limit))
            return ContinuousClock.now - start
        }
        let whole = try time()
        limits.maximumDecodingTime = whole / 16
        #expect(try time() < whole / 4)
    }
    #endif
}
