import FirnImage
import FirnProcessing
import Testing

@Suite struct TiledOverlayTests {
    /// An image of letters, so that each pixel says which of the tile it is.
    private func letters(_ rows: [String]) throws -> Bitmap { try Bitmap.labeled(rows, format: .rgb8) }

    @Test func `Tiles repeat around the middle, with gaps between them`() throws {
        let ground = try letters(Array(repeating: ".........", count: 6))
        let tile = try letters(["ab", "cd"])
        let plain = try ImageProcessors.Overlay(tiling: tile, id: "t").apply(ground)
        // Nine columns are four and a half tiles: the odd pixel is before the tile in the middle.
        #expect(plain.labels == ["ababababa", "cdcdcdcdc", "ababababa", "cdcdcdcdc", "ababababa", "cdcdcdcdc"])
        let gaps = try ImageProcessors.Overlay(tiling: tile, id: "t", horizontalGap: 1, verticalGap: 2).apply(ground)
        #expect(gaps.labels == [".........", ".........", "ab.ab.ab.", "cd.cd.cd.", ".........", "........."])
    }

    /// Draws the tiles from the rule: one tile with its gaps is in the middle, and the odd pixel before it.
    private func expected(_ size: PixelSize, _ tile: [String], _ horizontal: Int, _ vertical: Int) -> [String] {
        let cell = PixelSize(width: tile[0].count + horizontal, height: tile.count + vertical)
        func place(_ at: Int, _ whole: Int, _ cell: Int, _ gap: Int) -> Int {
            let start = Int(((Double(whole) - Double(cell)) / 2).rounded(.up)) + gap / 2
            return ((at - start) % cell + cell) % cell
        }
        return (0..<size.height).map { y in
            String(
                (0..<size.width).map { x in
                    let column = place(x, size.width, cell.width, horizontal)
                    let row = place(y, size.height, cell.height, vertical)
                    guard row < tile.count, column < tile[0].count else { return "." as Character }
                    return Array(tile[row])[column]
                })
        }
    }

    @Test func `Tiles of every size and gap lie where the rule puts them`() throws {
        for (width, height) in [(1, 1), (7, 5), (8, 12)] {
            let ground = try letters(Array(repeating: String(repeating: ".", count: width), count: height))
            for tile in [["a"], ["abc", "def"], ["abcdefghijkl"], ["a", "b", "c", "d", "e", "f", "g"]] {
                for (horizontal, vertical) in [(0, 0), (1, 0), (0, 3), (2, 5), (60_000, 60_000)] {
                    let overlay = ImageProcessors.Overlay(
                        tiling: try letters(tile), id: "t", horizontalGap: horizontal, verticalGap: vertical)
                    #expect(
                        try overlay.apply(ground).labels
                            == expected(ground.size, tile, horizontal, vertical),
                        "\(width)x\(height) \(tile) \(horizontal):\(vertical)")
                }
            }
        }
    }

    @Test(arguments: PixelFormat.allCases)
    func `A tile as large as the image is a plain overlay`(format: PixelFormat) throws {
        let source = try Bitmap.test(PixelSize(width: 9, height: 7), format)
        let over = try Bitmap.test(source.size, format.isWide ? format : .bgra8Premultiplied, seed: 5)
        for opacity in [1, 0.3] {
            let tiled = try ImageProcessors.Overlay(tiling: over, id: "t", opacity: opacity).apply(source)
            let plain = try ImageProcessors.Overlay(over, id: "t", x: 0, y: 0, opacity: opacity).apply(source)
            #expect(tiled.packedBytes == plain.packedBytes && tiled.packedBytes != source.packedBytes)
        }
    }

    @Test func `An overlay at a place may be partly outside`() throws {
        let ground = try letters(["....", "....", "...."])
        let over = try letters(["abc", "def"])
        for (x, y, rows) in [
            (1, 1, ["....", ".abc", ".def"]), (-1, -1, ["ef..", "....", "...."]), (3, 2, ["....", "....", "...a"]),
            (4, 0, ["....", "....", "...."]), (-3, 0, ["....", "....", "...."]),
        ] {
            #expect(try ImageProcessors.Overlay(over, id: "o", x: x, y: y).apply(ground).labels == rows)
        }
    }

    @Test func `Many stripes and threads give the same tiles`() throws {
        let ground = try Bitmap.test(PixelSize(width: 210, height: 900), .bgra8Premultiplied)
        let over = try Bitmap.test(PixelSize(width: 31, height: 17), .bgra8Premultiplied, seed: 5)
        let overlay = ImageProcessors.Overlay(tiling: over, id: "t", horizontalGap: 3, verticalGap: 5, opacity: 0.5)
        let whole = try overlay.apply(ground)
        // The same by one overlay for each tile.
        var single = ground
        for y in stride(from: (900 - 22 + 1) / 2 + 2 - 22 * 24, to: 900, by: 22) where y > -17 {
            for x in stride(from: (210 - 34 + 1) / 2 + 1 - 34 * 4, to: 210, by: 34) where x > -31 {
                single = try ImageProcessors.Overlay(over, id: "o", x: x, y: y, opacity: 0.5).apply(single)
            }
        }
        #expect(whole.packedBytes == single.packedBytes)
    }
}
