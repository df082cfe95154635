#if TIFF
import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests regions of TIFF: strips, tiles, planes, and smaller stored versions.
@Suite struct RegionTIFFTests {
    private static func level(_ x: Int, _ y: Int, _ sample: Int = 0) -> UInt8 {
        UInt8((x * 7 + y * 13 + sample * 50) & 255)
    }

    /// Returns tiles of an image, whose pixel (x, y) is the one returned.
    private static func tiles(
        _ width: Int, _ height: Int, _ tile: Int, planes: Int = 1, samples: Int = 1,
        pixel: (Int, Int, Int) -> UInt8 = level
    ) -> [[UInt8]] {
        (0..<planes).flatMap { plane in
            stride(from: 0, to: height, by: tile).flatMap { top in
                stride(from: 0, to: width, by: tile).map { left in
                    (top..<top + tile).flatMap { y in
                        (left..<left + tile).flatMap { x in (0..<samples).map { pixel(x, y, plane + $0) } }
                    }
                }
            }
        }
    }

    private static func tiled(_ width: Int, _ height: Int, _ tile: Int = 16) -> HandmadeTIFF.Page {
        HandmadeTIFF.Page(
            width: width, height: height, pieces: tiles(width, height, tile), tile: (tile, tile))
    }

    @Test func `regions of tiles equal the crop of the whole`() throws {
        try expectRegions(HandmadeTIFF(RegionTIFFTests.tiled(75, 53)).data, "gray")
        let color = HandmadeTIFF.Page(
            width: 75, height: 53, photometric: 2, bits: [8, 8, 8],
            pieces: RegionTIFFTests.tiles(75, 53, 16, samples: 3), tile: (16, 16))
        try expectRegions(HandmadeTIFF(color).data, "color")
        var planes = color
        planes.pieces = RegionTIFFTests.tiles(75, 53, 16, planes: 3)
        planes.more = [(284, [2])]
        try expectRegions(HandmadeTIFF(planes).data, "planes")
    }

    @Test func `regions of strips equal the crop of the whole`() throws {
        for rows in [1, 7, 53] {
            let pieces = stride(from: 0, to: 53, by: rows).map { top in
                (top..<min(top + rows, 53)).flatMap { y in (0..<75).map { RegionTIFFTests.level($0, y) } }
            }
            let page = HandmadeTIFF.Page(width: 75, height: 53, pieces: pieces, rowsPerStrip: rows)
            try expectRegions(HandmadeTIFF(page).data, "\(rows) rows")
        }
        let pieces = (0..<3).flatMap { plane in
            stride(from: 0, to: 53, by: 10).map { top in
                (top..<min(top + 10, 53)).flatMap { y in (0..<75).map { RegionTIFFTests.level($0, y, plane) } }
            }
        }
        let planes = HandmadeTIFF.Page(
            width: 75, height: 53, photometric: 2, bits: [8, 8, 8], pieces: pieces, rowsPerStrip: 10,
            more: [(284, [2])])
        try expectRegions(HandmadeTIFF(planes).data, "planes")
    }

    @Test func `tiles beside a region may be damaged`() throws {
        var page = RegionTIFFTests.tiled(64, 64)
        // The last tile has no bytes.
        page.pieces[15] = []
        var data = HandmadeTIFF(page).data
        let decoder = try session(data)
        var options = straight()
        #expect(decodingError { _ = try decoder.decode(options) }?.fault == .data)
        data = HandmadeTIFF(page).data
        options.region = .pixels(x: 0, y: 0, width: 48, height: 64)
        let other = try session(data)
        let part = try other.decode(options)
        #expect(part.size == PixelSize(width: 48, height: 64))
        // A failed region does not end the session.
        options.region = .pixels(x: 0, y: 0, width: 64, height: 64)
        #expect(decodingError { _ = try other.decode(options) } != nil)
    }

    @Test func `a smaller stored version is read where it is large enough`() throws {
        // The versions have levels of their own, so that the test sees which was read.
        let whole = HandmadeTIFF.Page(
            width: 128, height: 96, pieces: RegionTIFFTests.tiles(128, 96, 16, pixel: { _, _, _ in 10 }),
            tile: (16, 16))
        var half = HandmadeTIFF.Page(
            width: 64, height: 48, pieces: RegionTIFFTests.tiles(64, 48, 16, pixel: { x, _, _ in UInt8(100 + x) }),
            tile: (16, 16), more: [(254, [1])])
        let file = HandmadeTIFF(pages: [whole, half]).data
        let decoder = try session(file)
        var options = straight()
        options.region = .pixels(x: 32, y: 16, width: 64, height: 64)
        options.targetSize = TargetSize(32)
        let part = try decoder.decode(options)
        #expect(part.size == PixelSize(width: 32, height: 32))
        #expect(packed(part)[0] == 116)
        // More pixels than it has, or edges between its pixels.
        options.targetSize = TargetSize(33)
        #expect(try packed(decoder.decode(options))[0] == 10)
        options.region = .pixels(x: 33, y: 16, width: 64, height: 64)
        options.targetSize = TargetSize(32)
        #expect(try packed(decoder.decode(options))[0] == 10)
        // A separate page is not a reduced version, although its size fits.
        half.more = []
        options.region = .pixels(x: 32, y: 16, width: 64, height: 64)
        #expect(try packed(session(HandmadeTIFF(pages: [whole, half]).data).decode(options))[0] == 10)
    }
}
#endif
