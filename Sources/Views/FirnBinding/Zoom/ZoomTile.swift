import FirnSync

/// A scale at which an image is loaded in tiles.
package struct ZoomLevel: Hashable, Sendable {
    /// The side of a tile, in image pixels.
    package let step: Int
    /// The number of tile pixels per image pixel.
    package let scale: Double

    /// Creates a level of an image of pixels: level 0 is full size, and each further level half as large.
    init(halvings: Int, side: Int) {
        step = side << min(max(halvings, 0), 30)
        scale = 1 / Double(1 << min(max(halvings, 0), 30))
    }

    /// Creates a level of a vector image. Tiles cover whole image pixels.
    init(scale: Double, side: Int) {
        step = max(1, Int(saturating: (Double(side) / scale).rounded()))
        self.scale = scale
    }

    /// Returns the columns and rows of the tiles that overlap a part of an image.
    func tiles(from first: ZoomState.Point, to last: ZoomState.Point, of image: PixelSize) -> ZoomTileRange {
        func range(_ first: Double, _ last: Double, _ length: Int) -> Range<Int> {
            let count = (length + step - 1) / step
            let start = min(max(0, Int(saturating: (first / Double(step)).rounded(.down))), count)
            let end = min(max(start, Int(saturating: (last / Double(step)).rounded(.up))), count)
            return start..<end
        }
        return ZoomTileRange(
            level: self, columns: range(first.x, last.x, image.width), rows: range(first.y, last.y, image.height))
    }
}

/// The tiles of a level that overlap a part of an image.
struct ZoomTileRange: Equatable {
    let level: ZoomLevel
    let columns: Range<Int>
    let rows: Range<Int>

    var count: Int { columns.count.saturatingMultiply(rows.count) }

    /// The tiles, row by row.
    var tiles: [ZoomTile] {
        rows.flatMap { row in columns.map { ZoomTile(level: level, column: $0, row: row) } }
    }
}

package struct ZoomTile: Hashable, Sendable {
    package let level: ZoomLevel
    /// Its position among the tiles of the level.
    package let column: Int
    package let row: Int

    /// Returns the image pixels that the tile shows.
    package func area(in image: PixelSize) -> PixelArea {
        let (x, y) = (column * level.step, row * level.step)
        return PixelArea(
            x: x, y: y,
            size: PixelSize(width: min(level.step, image.width - x), height: min(level.step, image.height - y)))
    }

    /// Returns the size of the loaded tile.
    package func size(in image: PixelSize) -> PixelSize {
        func side(_ length: Int) -> Int { max(1, Int(saturating: (Double(length) * level.scale).rounded())) }
        let part = area(in: image).size
        return PixelSize(width: side(part.width), height: side(part.height))
    }

    func bytes(in image: PixelSize) -> Int { size(in: image).area.saturatingMultiply(4) }

    /// Returns the squared distance of its middle from an image point.
    func distance(from point: ZoomState.Point) -> Double {
        let middle = (ZoomState.Point(column, row) + 0.5) * Double(level.step)
        let way = middle - point
        return (way * way).sum()
    }
}

/// A visible part of an image: tiles that cover it, or the whole image at its coarsest.
package struct ZoomPiece: Equatable, Sendable {
    /// The part, in image pixels.
    package let area: PixelArea
    /// The tiles that cover the part; empty if there are none yet.
    package let tiles: [ZoomTile]
}
