package import FirnImage

/// A pyramid on disk: a large image as tiles, at full size and at each half of it.
package struct TilePyramid: Hashable, Sendable {
    /// One level.
    package struct Level: Hashable, Sendable {
        /// The columns and rows, as stored in the image's file. The first level is the whole image.
        package let size: PixelSize
        /// The number of tiles.
        package let tileCount: Int
        /// The bytes of the tiles.
        package let byteCount: Int
    }

    /// The displayed size of the image.
    package let displaySize: PixelSize
    /// The columns and rows of a tile.
    package let tileSide: Int
    /// The levels, the largest first.
    package let levels: [Level]
    /// True if the pyramid was already stored.
    package let wasStored: Bool

    /// The bytes of all tiles.
    package var byteCount: Int { levels.reduce(0) { $0 + $1.byteCount } }

    init(_ shape: PyramidShape, displaySize: PixelSize, wasStored: Bool) {
        self.displaySize = displaySize
        self.wasStored = wasStored
        tileSide = PyramidShape.side
        levels = shape.levels.indices.map { level in
            Level(
                size: shape.levels[level], tileCount: shape.columns(level) * shape.rows(level),
                byteCount: shape.levels[level].area * PyramidShape.bytesPerPixel)
        }
    }
}
