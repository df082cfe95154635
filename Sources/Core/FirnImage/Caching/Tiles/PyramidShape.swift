/// The levels and tiles of a pyramid, and the offsets of their pixels: a function of the image's size and the first
/// stored level.
///
/// Level 0 is the image. Each further level has half the columns and rows, rounded up. The last level is a single tile.
/// Tiles have ``side`` columns and rows, except those at the right and bottom edges, which end with the image. Pixels
/// have four bytes. Tiles follow each other level by level, row by row, without gaps.
package struct PyramidShape: Hashable, Sendable {
    /// The columns and rows of a tile. Reading and checking a tile of 256 KiB takes a fraction of a millisecond.
    /// Building a pyramid of an image of 10,000 columns holds a band of tiles of 10 MiB.
    package static let side = 256
    package static let bytesPerPixel = 4

    /// The size of each level, the image first.
    package let levels: [PixelSize]
    /// The first level with tiles. The largest levels of an image that is decoded in parts have none.
    package let firstLevel: Int
    /// The offset of each level's pixels, in bytes.
    private let starts: [Int]
    /// The number of the first tile of each level.
    private let firstTiles: [Int]
    /// The bytes of all levels.
    package let byteCount: Int
    /// The tiles of all levels.
    package let tileCount: Int

    /// Creates the shape of a pyramid.
    ///
    /// - Parameter firstLevel: the first level with tiles. Default: the image itself.
    /// - Returns: `nil` if the size is empty, its bytes overflow, or the level does not exist.
    package init?(_ size: PixelSize, from firstLevel: Int = 0) {
        // All levels together take less than twice the bytes of the image.
        guard !size.isEmpty, size.area <= Int.max / (2 * PyramidShape.bytesPerPixel) else { return nil }
        var (levels, starts, firstTiles): ([PixelSize], [Int], [Int]) = ([size], [], [])
        while let last = levels.last, last.width > PyramidShape.side || last.height > PyramidShape.side {
            levels.append(PixelSize(width: last.width / 2 + last.width % 2, height: last.height / 2 + last.height % 2))
        }
        guard levels.indices.contains(firstLevel) else { return nil }
        var (bytes, tiles) = (0, 0)
        for (number, level) in levels.enumerated() {
            starts.append(bytes)
            firstTiles.append(tiles)
            guard number >= firstLevel else { continue }
            bytes += level.area * PyramidShape.bytesPerPixel
            tiles += PyramidShape.tiles(level.width) * PyramidShape.tiles(level.height)
        }
        self.levels = levels
        self.firstLevel = firstLevel
        self.starts = starts
        self.firstTiles = firstTiles
        byteCount = bytes
        tileCount = tiles
    }

    /// The size of the image.
    package var size: PixelSize { levels[0] }

    /// The levels with tiles.
    package var stored: Range<Int> { firstLevel..<levels.count }

    /// The number of tile columns of a level.
    package func columns(_ level: Int) -> Int { PyramidShape.tiles(levels[level].width) }

    /// The number of tile rows of a level.
    package func rows(_ level: Int) -> Int { PyramidShape.tiles(levels[level].height) }

    /// The size of a tile.
    package func tileSize(_ level: Int, column: Int, row: Int) -> PixelSize {
        PixelSize(
            width: min(PyramidShape.side, levels[level].width - column * PyramidShape.side),
            height: bandHeight(level, row))
    }

    /// Returns the number of a tile among all tiles.
    package func number(_ level: Int, column: Int, row: Int) -> Int {
        firstTiles[level] + row * columns(level) + column
    }

    /// Returns the number of pixel rows in a row of tiles.
    package func bandHeight(_ level: Int, _ row: Int) -> Int {
        min(PyramidShape.side, levels[level].height - row * PyramidShape.side)
    }

    /// Returns the offset of a row of tiles, in bytes from the first pixel of the pyramid.
    package func bandStart(_ level: Int, _ row: Int) -> Int {
        starts[level] + row * PyramidShape.side * levels[level].width * PyramidShape.bytesPerPixel
    }

    /// Returns the offset of a tile, in bytes from the start of its row of tiles.
    package func startInBand(_ level: Int, column: Int, row: Int) -> Int {
        column * PyramidShape.side * bandHeight(level, row) * PyramidShape.bytesPerPixel
    }

    private static func tiles(_ side: Int) -> Int { (side - 1) / PyramidShape.side + 1 }
}

/// The source of a pyramid.
package struct PyramidSource: Hashable, Sendable {
    /// The columns and rows as stored, before the orientation is applied.
    package var size: PixelSize
    /// The orientation for display. Tiles store the rows as the file does.
    package var orientation: ImageOrientation
    /// The format of the file; `nil` if it is unknown.
    package var format: ImageFormat?
    /// The version of the local file; `nil` for other sources.
    package var version: SourceVersion?
    /// The digest of the local file; 0 if it is unknown.
    package var digest: UInt64 = 0
    /// The validators of the response; empty for local files.
    package var validator: String
    /// The time until which tiles may be used without revalidation, in nanoseconds since 1970; `Int64.max` means
    /// always.
    package var freshNanoseconds = Int64.max

    /// Describes the source of a pyramid.
    package init(
        size: PixelSize, orientation: ImageOrientation, format: ImageFormat?, version: SourceVersion?, validator: String
    ) {
        self.size = size
        self.orientation = orientation
        self.format = format
        self.version = version
        self.validator = validator
    }

    /// The displayed size of the image.
    package var displaySize: PixelSize { orientation.displaySize(of: size) }

    /// Returns whether both describe the same bytes. False without a version and without validators.
    package func isSameSource(version: SourceVersion?, validator: String) -> Bool {
        guard self.version != nil || !self.validator.isEmpty else { return false }
        guard self.validator == validator else { return false }
        return self.version == version
    }
}
