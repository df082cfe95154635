import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests the limits of a decode: memory, time, pieces.
@Suite struct ImageLimitsTests {
    /// Returns rows of `width` pixels of RGBA.
    private func png(_ width: Int, _ height: Int, isInterlaced: Bool = false) -> Data {
        let row = (0..<width).flatMap { x -> [UInt8] in [UInt8(x & 255), 0, 99, 255] }
        return HandmadePNG(
            width: width, height: height, colorType: 6, rows: [[UInt8]](repeating: row, count: height),
            isInterlaced: isInterlaced
        ).data
    }

    private func options(_ side: Int) -> DecodingOptions {
        var options = straight()
        options.targetSize = TargetSize(side)
        return options
    }

    // MARK: Memory

    @Test func `a decode that alone takes more memory than the ceiling is refused, and a smaller one is not`() throws {
        var limits = ImageLimits()
        // 128 × 120 pixels of four bytes are 60 KiB; decoding them takes about 400 KiB in all.
        let session = try session(png(128, 120), limits: limits)
        let whole = session.workingBytes(for: straight())
        let reduced = session.workingBytes(for: options(16))
        #expect(reduced < whole)
        limits.maximumWorkingBytes = (whole + reduced) / 2
        let held = try ImageLimitsTests.open(png(128, 120), limits)
        let error = decodingError { _ = try held.decode(straight()) }
        #expect(error?.fault == .limit)
        #expect(
            error?.message == "decoding takes \(whole) bytes of memory; \(limits.maximumWorkingBytes) are allowed")
        #expect(error?.setting == "ImageLimits.maximumWorkingBytes")
        #expect(decodingError { _ = try held.advance(straight()) }?.fault == .limit)
        #expect(try held.decode(options(16)).size.covers(PixelSize(width: 16, height: 15)))
        limits.maximumWorkingBytes = whole
        #expect(try ImageLimitsTests.open(png(128, 120), limits).decode(straight()).size.width == 128)
    }

    @Test func `passes, which are kept as a whole, count toward the ceiling`() throws {
        let rows = try session(png(120, 120)).workingBytes(for: options(8))
        let passes = try session(png(120, 120, isInterlaced: true)).workingBytes(for: options(8))
        // Interlacing keeps all rows instead of a strip of 64.
        #expect(passes - rows >= 120 * (120 - 64) * 4)
        var limits = ImageLimits()
        limits.maximumWorkingBytes = (rows + passes) / 2
        #expect(try ImageLimitsTests.open(png(120, 120), limits).decode(options(8)).size.width >= 8)
        let session = try ImageLimitsTests.open(png(120, 120, isInterlaced: true), limits)
        #expect(decodingError { _ = try session.decode(options(8)) }?.fault == .limit)
    }

    @Test func `frames of an animation count toward the ceiling`() throws {
        var limits = ImageLimits()
        limits.maximumWorkingBytes = 100_000
        let frame = HandmadeGIF.Frame(width: 1, height: 1, indices: [0])
        let gif = HandmadeGIF(width: 400, height: 400, frames: [frame, frame])
        #expect(decodingError { _ = try session(gif.data, limits: limits).decode(straight()) }?.fault == .limit)
    }

    @Test func `rows longer than the limit are refused at any size`() throws {
        var limits = ImageLimits()
        limits.maximumRowBytes = 400
        for (width, isRefused) in [(100, false), (101, true)] {
            for options in [straight(), options(10)] {
                let session = try session(png(width, 3), limits: limits)
                #expect((decodingError { _ = try session.decode(options) }?.fault == .limit) == isRefused)
            }
        }
    }

    @Test func `a single row of millions of pixels is refused before it is decoded`() throws {
        let sides = HandmadePNG.big(1 << 28, 4) + HandmadePNG.big(1, 4)
        let qoi = Data(Array("qoif".utf8) + sides + [4, 0] + [UInt8](repeating: 0xFD, count: 64))
        let error = decodingError { _ = try session(qoi).decode(options(200)) }
        #expect(error?.fault == .limit)
        #expect(
            error?.message == "has rows of 268435456 pixels; 16777216 bytes a row are allowed")
        #expect(error?.setting == "ImageLimits.maximumRowBytes")
    }

    @Test func `strips of long rows stay below some megabytes`() {
        #expect(SampleLayout.bgra8.stripRows(of: PixelSize(width: 4_000, height: 3_000)) == 64)
        #expect(SampleLayout.bgra8.stripRows(of: PixelSize(width: 60_000, height: 3_000)) == 8)
        #expect(SampleLayout.bgra8.stripRows(of: PixelSize(width: 4 << 20, height: 64)) == 1)
        #expect(SampleLayout.rgb8.rowsAtOnce(width: 4_000) == 64)
        #expect(SampleLayout.rgba16.rowsAtOnce(width: 1 << 20) == 1)
    }

    // MARK: Time and pieces

    @Test func `a file that arrives in more pieces than maximumChunks is joined (F29)`() throws {
        let file = png(20, 20)
        let expected = try packed(session(file).decode(straight()))
        var limits = ImageLimits()
        limits.maximumChunks = 10
        let session = FormatSession(PNGReader(limits: limits), limits: limits)
        for byte in file {
            try session.append(Data([byte]))
            #expect(session.chain.pieceCount <= 10)
        }
        session.finish()
        #expect(try packed(session.decode(straight())) == expected)
    }

    private static func open(_ file: Data, _ limits: ImageLimits) throws -> any ImageDecodingSession {
        try session(file, limits: limits)
    }
}
