public import FirnImage

/// A pyramid on disk: a large image as tiles, at full size and at each half of it.
public struct TilePyramid: Hashable, Sendable {
    /// One level.
    public struct Level: Hashable, Sendable {
        /// The columns and rows, as stored in the image's file. The first level is the whole image.
        public let size: PixelSize
        /// The number of tiles.
        public let tileCount: Int
        /// The bytes of the tiles.
        public let byteCount: Int
    }

    /// The displayed size of the image.
    public let displaySize: PixelSize
    /// The columns and rows of a tile.
    public let tileSide: Int
    /// The levels, the largest first.
    public let levels: [Level]
    /// Whether it was there before.
    public let wasStored: Bool

    /// The bytes of all tiles.
    public var byteCount: Int { levels.reduce(0) { $0 + $1.byteCount } }

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
