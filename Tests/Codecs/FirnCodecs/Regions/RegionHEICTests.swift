#if HEIC
import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests regions of HEIC: grids of cells.
@Suite struct RegionHEICTests {
    private static let grid = HandmadeHEIC(columns: 4, rows: 4, width: 250, height: 240)

    private static func chain(_ file: Data) -> ByteChain {
        var chain = ByteChain()
        chain.append(file)
        chain.finish()
        return chain
    }

    @Test(arguments: [nil, 0, 1, 2, 3] as [UInt8?])
    func `regions of a grid equal the crop of the whole`(turns: UInt8?) throws {
        var file = RegionHEICTests.grid
        file.turns = turns
        try expectRegions(file.data, "turned \(turns ?? 0) times")
    }

    @Test func `regions of a mirrored grid equal the crop of the whole`() throws {
        var file = RegionHEICTests.grid
        file.isMirrored = true
        #expect(HEIFGrid(RegionHEICTests.chain(file.data)) == nil)
        try expectRegions(file.data, "mirrored")
    }

    @Test(arguments: [(8, 6), (10, 8)])
    func `a photograph of many cells is decoded`(columns: Int, rows: Int) throws {
        let file = HandmadeHEIC(columns: columns, rows: rows, width: columns * 64 - 6, height: rows * 64 - 10)
        let image = try session(file.data).decode(straight())
        #expect(image.size == PixelSize(width: file.width, height: file.height))
    }

    @Test func `only the cells of a region are decoded`() throws {
        var file = RegionHEICTests.grid
        file.damaged = [0, 3, 5]
        let decoder = try session(file.data)
        var options = straight()
        options.region = .pixels(x: 70, y: 135, width: 100, height: 90)
        let part = try packed(decoder.decode(options))
        options.region = nil
        #expect(decodingError { _ = try session(file.data).decode(options) } != nil)
        let whole = try session(RegionHEICTests.grid.data).decode(options)
        #expect(part == crop(whole, PixelArea(70, 135, 100, 90)))
    }

    @Test func `a region that is one cell is decoded from that cell alone`() throws {
        var file = RegionHEICTests.grid
        let cell = 6
        file.damaged = Set(0..<16).subtracting([cell])
        var options = straight()
        let whole = try session(RegionHEICTests.grid.data).decode(options)
        options.region = .pixels(x: 128, y: 64, width: 64, height: 64)
        let part = try packed(session(file.data).decode(options))
        #expect(part == crop(whole, PixelArea(128, 64, 64, 64)))
        let chain = RegionHEICTests.chain(file.data)
        let grid = try #require(HEIFGrid(chain))
        let one = try #require(HEIFGridPart(PixelArea(128, 64, 64, 64), of: grid, chain))
        #expect(HEIFGrid(one.chain)?.cells == [2 + cell])
    }

    @Test func `a grid is read, and a smaller one has the file's length`() throws {
        let chain = RegionHEICTests.chain(RegionHEICTests.grid.data)
        let grid = try #require(HEIFGrid(chain))
        #expect(grid.size == PixelSize(width: 250, height: 240) && grid.cell == PixelSize(width: 64, height: 64))
        #expect(grid.columns == 4 && grid.rows == 4 && grid.cells == Array(2..<18) && grid.orientation == .up)
        let part = try #require(HEIFGridPart(PixelArea(60, 66, 100, 10), of: grid, chain))
        #expect(part.chain.count == chain.count && part.size == PixelSize(width: 192, height: 64))
        #expect(part.area == PixelArea(60, 2, 100, 10))
        let smaller = try #require(HEIFGrid(part.chain))
        #expect(smaller.cells == [6, 7, 8] && smaller.size == part.size)
        // So many cells are needed that the rest is not worth it.
        #expect(HEIFGridPart(PixelArea(0, 0, 250, 130), of: grid, chain) == nil)
    }
}
#endif
