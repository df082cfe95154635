package import FirnImage
import FirnSync
import FirnSystem

/// One scale at which an image is loaded in tiles.
package struct ZoomLevel: Hashable, Sendable {
    /// The sides of a tile, in pixels of the image.
    package let step: Int
    /// The pixels of a tile for each pixel of the image.
    package let scale: Double

    /// Creates a level of an image of pixels: full size is level 0, and each further one is half as large.
    init(halvings: Int, side: Int) {
        step = side << min(max(halvings, 0), 30)
        scale = 1 / Double(1 << min(max(halvings, 0), 30))
    }

    /// Creates a level of an image that is rendered at any scale. Tiles are whole pixels of the image.
    init(scale: Double, side: Int) {
        step = max(1, Int(saturating: (Double(side) / scale).rounded()))
        self.scale = scale
    }

    /// The columns and rows of the tiles that meet a part of an image.
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

/// The tiles of a level that meet a part of an image.
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
    /// Its place among the tiles of the level.
    package let column: Int
    package let row: Int

    /// Returns the pixels of the image that the tile shows.
    package func area(in image: PixelSize) -> PixelArea {
        let (x, y) = (column * level.step, row * level.step)
        return PixelArea(
            x: x, y: y,
            size: PixelSize(width: min(level.step, image.width - x), height: min(level.step, image.height - y)))
    }

    /// Returns the size at which the tile is loaded.
    package func size(in image: PixelSize) -> PixelSize {
        func side(_ length: Int) -> Int { max(1, Int(saturating: (Double(length) * level.scale).rounded())) }
        let part = area(in: image).size
        return PixelSize(width: side(part.width), height: side(part.height))
    }

    func bytes(in image: PixelSize) -> Int { size(in: image).area.saturatingMultiply(4) }

    /// Returns the distance of its middle from a point of the image, squared.
    func distance(from point: ZoomState.Point) -> Double {
        let middle = (ZoomState.Point(column, row) + 0.5) * Double(level.step)
        let way = middle - point
        return (way * way).sum()
    }
}

/// A part of what a view shows: tiles that cover it, or the whole image at its coarsest.
package struct ZoomPiece: Equatable, Sendable {
    /// The part, in pixels of the image.
    package let area: PixelArea
    /// The tiles that cover it; empty if there are none yet.
    package let tiles: [ZoomTile]
}
