package import FirnImage

/// A pyramid on disk: a large image as tiles, at full size and at each half of it.
package struct TilePyramid: Hashable, Sendable {
    package struct Level: Hashable, Sendable {
        /// The columns and rows, as stored in the image's file. The first level is the whole image.
        package let size: PixelSize
        package let tileCount: Int
        package let byteCount: Int
    }

    package let displaySize: PixelSize
    /// The columns and rows of a tile.
    package let tileSide: Int
    /// The levels, the largest first.
    package let levels: [Level]
    package let wasStored: Bool

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
