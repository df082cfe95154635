#if TIFF
import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct TIFFDecoderTests {
    private typealias Page = HandmadeTIFF.Page

    /// Returns gray levels as opaque pixels.
    private func gray(_ levels: [UInt8]) -> [UInt8] { levels.flatMap { [$0, $0, $0, 255] } }

    private func pixels(_ tiff: HandmadeTIFF, frame: Int = 0) throws -> [UInt8] {
        var options = straight()
        options.frame = frame
        return try packed(session(tiff.data).decode(options))
    }

    // MARK: How samples are stored

    @Test func `strips of RGB are read in order`() throws {
        let page = Page(
            width: 2, height: 3, photometric: 2, bits: [8, 8, 8],
            pieces: [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [13, 14, 15, 16, 17, 18]], rowsPerStrip: 2)
        #expect(
            try pixels(HandmadeTIFF(page)) == [
                1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255, 13, 14, 15, 255, 16, 17, 18, 255,
            ])
    }

    @Test func `one bit per pixel with 0 as white`() throws {
        let page = Page(width: 10, height: 1, photometric: 0, bits: [1], pieces: [[0b1010_0000, 0b0100_0000]])
        #expect(
            try pixels(HandmadeTIFF(page)) == gray([0, 255, 0, 255, 255, 255, 255, 255, 255, 0]))
    }

    @Test func `two bits a sample fill the range, side by side in a pixel`() throws {
        let page = Page(
            width: 2, height: 1, photometric: 2, bits: [2, 2, 2], pieces: [[0b0001_1011, 0b0100_0000]])
        #expect(try pixels(HandmadeTIFF(page)) == [0, 85, 170, 255, 255, 85, 0, 255])
    }

    @Test func `twelve bits a sample are cut to eight`() throws {
        let page = Page(width: 2, height: 1, bits: [12], pieces: [[0xAB, 0xC1, 0x23]])
        #expect(try pixels(HandmadeTIFF(page)) == gray([0xAB, 0x12]))
    }

    @Test(arguments: [false, true])
    func `sixteen bits give their high byte in either order of bytes`(isBigEndian: Bool) throws {
        let stored: [UInt8] = isBigEndian ? [0x12, 0x34, 0xFF, 0x01] : [0x34, 0x12, 0x01, 0xFF]
        let page = Page(width: 2, height: 1, bits: [16], pieces: [stored])
        let tiff = HandmadeTIFF(page, isBigEndian: isBigEndian)
        #expect(try pixels(tiff) == gray([0x12, 0xFF]))
        #expect(try session(tiff.data).properties()?.bitDepth == 16)
    }

    @Test func `indices of four bits are looked up`() throws {
        let reds = [0, 0xFF00] + [Int](repeating: 0, count: 14)
        let greens = [0, 0, 0x8000] + [Int](repeating: 0, count: 13)
        let blues = [0x1200] + [Int](repeating: 0, count: 15)
        let page = Page(
            width: 3, height: 1, photometric: 3, bits: [4], pieces: [[0x12, 0x00]],
            more: [(320, reds + greens + blues)])
        #expect(try pixels(HandmadeTIFF(page)) == [255, 0, 0, 255, 0, 128, 0, 255, 0, 0, 0x12, 255])
        #expect(try session(HandmadeTIFF(page).data).properties()?.colorSpace == "indexed")
    }

    @Test func `floats from 0 to 1 are black to white, and others are clipped`() throws {
        let values: [Float] = [0, 0.5, 1, -3, 7, .nan]
        let bytes = values.flatMap { value in (0..<4).map { UInt8(value.bitPattern >> ($0 * 8) & 255) } }
        let page = Page(width: 6, height: 1, bits: [32], pieces: [bytes], more: [(339, [3])])
        #expect(try pixels(HandmadeTIFF(page)) == gray([0, 128, 255, 0, 255, 0]))
    }

    @Test func `inks without a profile become light by multiplication`() throws {
        let page = Page(
            width: 2, height: 1, photometric: 5, bits: [8, 8, 8, 8], pieces: [[255, 0, 0, 0, 0, 51, 0, 102]])
        #expect(try pixels(HandmadeTIFF(page)) == [0, 255, 255, 255, 153, 122, 153, 255])
        #expect(try session(HandmadeTIFF(page).data).properties()?.colorSpace == "cmyk")
    }

    // MARK: Alpha

    @Test func `straight alpha does not change`() throws {
        let page = Page(
            width: 1, height: 1, photometric: 2, bits: [8, 8, 8, 8], pieces: [[10, 20, 30, 40]], more: [(338, [2])])
        #expect(try pixels(HandmadeTIFF(page)) == [10, 20, 30, 40])
        #expect(try session(HandmadeTIFF(page).data).properties()?.hasAlpha == true)
    }

    @Test func `colors multiplied by alpha are divided`() throws {
        let page = Page(
            width: 1, height: 1, photometric: 2, bits: [8, 8, 8, 8], pieces: [[10, 20, 51, 51]], more: [(338, [1])])
        #expect(try pixels(HandmadeTIFF(page)) == [50, 100, 255, 51])
    }

    @Test func `an extra sample of unknown meaning is not alpha`() throws {
        let page = Page(width: 1, height: 1, bits: [8, 8], pieces: [[77, 0]], more: [(338, [0])])
        #expect(try pixels(HandmadeTIFF(page)) == gray([77]))
    }

    // MARK: Where samples are stored

    @Test func `tiles at the edges are cut off`() throws {
        // Two by two tiles of 16x16 hold 20x18 pixels; every tile has its own level.
        let tiles = (1...4).map { [UInt8](repeating: UInt8($0 * 10), count: 256) }
        let page = Page(width: 20, height: 18, pieces: tiles, tile: (16, 16))
        let levels = (0..<18).flatMap { y in
            (0..<20).map { x in UInt8((y < 16 ? (x < 16 ? 1 : 2) : (x < 16 ? 3 : 4)) * 10) }
        }
        #expect(try pixels(HandmadeTIFF(page)) == gray(levels))
    }

    @Test func `planes of their own are put together, in strips and in tiles`() throws {
        let planes = [[1, 2, 3, 4], [11, 12, 13, 14], [21, 22, 23, 24]].map { $0.map { UInt8($0) } }
        let strips = planes.flatMap { [Array($0[..<2]), Array($0[2...])] }
        let page = Page(
            width: 2, height: 2, photometric: 2, bits: [8, 8, 8], pieces: strips, rowsPerStrip: 1,
            more: [(284, [2])])
        #expect(
            try pixels(HandmadeTIFF(page)) == [1, 11, 21, 255, 2, 12, 22, 255, 3, 13, 23, 255, 4, 14, 24, 255])
        let tiles = planes.map { plane in [UInt8](repeating: plane[0], count: 256) }
        let tiled = Page(
            width: 1, height: 1, photometric: 2, bits: [8, 8, 8], pieces: tiles, tile: (16, 16), more: [(284, [2])])
        #expect(try pixels(HandmadeTIFF(tiled)) == [1, 11, 21, 255])
    }

    @Test func `a large strip is not held whole`() throws {
        let page = Page(width: 8_000, height: 8_000, photometric: 2, bits: [8, 8, 8], pieces: [[0]])
        let session = try session(HandmadeTIFF(page).data)
        let result = 8_000 * 8_000 * 4
        #expect((result...result + 2 << 20).contains(session.workingBytes(for: straight())))
    }

    // MARK: Pages and tags

    @Test func `pages are frames of their own sizes`() throws {
        let tiff = HandmadeTIFF(pages: [
            Page(width: 1, height: 1, pieces: [[7]]), Page(width: 2, height: 1, pieces: [[8, 9]]),
        ])
        let session = try session(tiff.data)
        #expect(try session.properties()?.frameCount == 2)
        #expect(try session.properties()?.frameDurations == nil)
        #expect(
            try session.frames().map(\.size) == [PixelSize(width: 1, height: 1), PixelSize(width: 2, height: 1)])
        var options = straight()
        options.frame = 1
        #expect(try packed(session.decode(options)) == gray([8, 9]))
        options.frame = 0
        #expect(try packed(session.decode(options)) == gray([7]))
        options.frame = 2
        #expect(decodingError { _ = try session.decode(options) } != nil)
    }

    @Test func `a circular chain of pages ends`() throws {
        let page = Page(width: 1, height: 1, pieces: [[7]])
        let tiff = HandmadeTIFF(pages: [page, page, page], next: 0)
        #expect(try session(tiff.data).properties()?.frameCount == 3)
    }

    @Test func `the orientation rotates the image on request`() throws {
        let page = Page(width: 2, height: 1, pieces: [[1, 2]], more: [(274, [6])])
        let session = try session(HandmadeTIFF(page).data)
        #expect(try session.properties()?.orientation == .right)
        #expect(try session.decode(straight(orientation: true)).size == PixelSize(width: 1, height: 2))
        #expect(try packed(session.decode(straight())) == gray([1, 2]))
    }

    // MARK: Damage and limits

    @Test func `a strip that is cut short is an error`() throws {
        let whole = [UInt8](repeating: 9, count: 8)
        let page = Page(width: 4, height: 4, pieces: [whole, [1, 2, 3]], rowsPerStrip: 2)
        let session = try session(HandmadeTIFF(page).data)
        #expect(decodingError { _ = try session.decode(straight()) }?.fault == .data)
    }

    @Test func `a file without a directory is damaged`() throws {
        let session = try session(Data("II*\0\u{08}\0\0\0".utf8))
        #expect(decodingError { _ = try session.properties() }?.fault == .data)
    }

    @Test func `sizes and tiles beyond the limits are refused before memory is taken`() throws {
        var limits = ImageLimits()
        limits.maximumPixels = 100
        let large = HandmadeTIFF(Page(width: 101, height: 1, pieces: [[0]]))
        #expect(decodingError { _ = try session(large.data, limits: limits).properties() }?.fault == .limit)
        let tile = HandmadeTIFF(Page(width: 1, height: 1, pieces: [[0]], tile: (65_536, 65_536)))
        #expect(decodingError { _ = try session(tile.data).properties() } != nil)
    }

    @Test func `complex samples and thousands of samples are refused`() throws {
        let complex = HandmadeTIFF(
            Page(width: 1, height: 1, bits: [32], pieces: [[0, 0, 0, 0]], more: [(339, [5])]))
        #expect(decodingError { _ = try session(complex.data).properties() }?.fault == .unsupported)
    }
}
#endif
