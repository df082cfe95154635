/// The primary image of a HEIF file as a grid of equal cells, each an image item of its own.
///
/// A file that differs from the usual form in any way counts as one without a grid, and is decoded as a whole.
///
/// - Source: ISO/IEC 23008-12 §6.6.2.3 (grid), §9.3 (ipma, ispe, irot); ISO/IEC 14496-12 §8.11 (iloc, iref, pitm).
struct HEIFGrid {
    /// The size of the image, before it is rotated.
    let size: PixelSize
    /// The size of a cell. The last ones of a side may reach beyond the image.
    let cell: PixelSize
    let columns: Int
    let rows: Int
    /// The items of the cells, row by row.
    let cells: [Int]
    /// The rotation for display.
    let orientation: ImageOrientation
    /// The offset of the grid's own description: counts of rows and columns, and sides of `sideBytes` bytes.
    let location: Int
    let sideBytes: Int
    /// The offset of the sides in the grid's `ispe`, of four bytes.
    let sides: Int
    /// The reference box with the items of the cells, from its header on.
    let reference: Range<Int>

    /// Reads the grid of a complete file; `nil` if there is none in the usual form.
    init?(_ chain: ByteChain) {
        guard let meta = HEIFItems(chain), let primary = meta.primary, let properties = meta.properties(of: primary),
            let (size, sides) = meta.size(properties), let location = meta.location(of: primary),
            let (cells, reference) = meta.parts(of: primary), let first = cells.first,
            let ofCell = meta.properties(of: first), let (cell, other) = meta.size(ofCell), other != sides,
            Set(cells).count == cells.count
        else { return nil }
        // The grid: version 0, flags, rows and columns less one, width and height.
        guard let head = chain.big(location.lowerBound, 4), head >> 24 == 0 else { return nil }
        sideBytes = head >> 16 & 1 == 1 ? 4 : 2
        rows = (head >> 8 & 0xFF) + 1
        columns = (head & 0xFF) + 1
        guard location.count >= 4 + 2 * sideBytes, chain.big(location.lowerBound + 4, sideBytes) == size.width,
            chain.big(location.lowerBound + 4 + sideBytes, sideBytes) == size.height, cells.count == rows * columns,
            !size.isEmpty, !cell.isEmpty, size.area < Int.max, HEIFGrid.covers(columns, cell.width, size.width),
            HEIFGrid.covers(rows, cell.height, size.height)
        else { return nil }
        var turn = ImageOrientation.up
        for box in properties {
            switch box.type {
            case "irot":
                guard turn == .up, let angle = chain.big(box.content.lowerBound, 1) else { return nil }
                turn = [.up, .left, .down, .right][angle & 3]
            // Reflection and cropping are left to the whole decode.
            case "imir", "clap": return nil
            default: continue
            }
        }
        self.size = size
        self.cell = cell
        self.cells = cells
        orientation = turn
        self.location = location.lowerBound
        self.sides = sides
        self.reference = reference
    }

    /// Returns whether the last of `count` cells reaches the end of a side, and the one before does not.
    private static func covers(_ count: Int, _ cell: Int, _ side: Int) -> Bool {
        let (all, overflow) = count.multipliedReportingOverflow(by: cell)
        return !overflow && all >= side && all - cell < side
    }
}

/// A HEIF file that shows only some cells of its grid.
///
/// The file keeps its length, so that nothing in it moves: the counts, the sides and the list of cells are replaced in
/// place. Where the list becomes shorter, a reference of a type that nothing uses fills the rest.
struct HEIFGridPart {
    /// The file, with those bytes replaced.
    let chain: ByteChain
    /// The displayed size of the cells, and the part's place in them.
    let size: PixelSize
    let area: PixelArea

    /// The bytes of a reference without items.
    private static let emptyReference = 12

    /// Chooses the cells for `area`, a part of the displayed image.
    ///
    /// - Returns: `nil` if nearly all cells are needed.
    init?(_ area: PixelArea, of grid: HEIFGrid, _ chain: ByteChain) {
        let stored = grid.orientation.storedArea(of: area, in: grid.size)
        func range(_ start: Int, _ length: Int, _ cell: Int, _ side: Int) -> ClosedRange<Int> {
            // Chroma is not interpolated: a pixel has the nearest sample (`firn_heic_decode_planes`), which is in its
            // own cell if the side of a cell is even. Otherwise the samples of two cells may share a place.
            let margin = cell % 2 == 0 ? 0 : 2
            return max(0, start - margin) / cell...min(side - 1, start + length - 1 + margin) / cell
        }
        let columns = range(stored.x, stored.size.width, grid.cell.width, grid.size.width)
        let rows = range(stored.y, stored.size.height, grid.cell.height, grid.size.height)
        let kept = rows.flatMap { row in columns.map { grid.cells[row * grid.columns + $0] } }
        // The filler, a reference, must name at least one item.
        let keptItems = Set(kept)
        let others = grid.cells.filter { !keptItems.contains($0) }
        let named = others.count - HEIFGridPart.emptyReference / 2
        guard named >= 1, let from = others.last else { return nil }
        let x = columns.lowerBound * grid.cell.width
        let y = rows.lowerBound * grid.cell.height
        let shown = PixelSize(
            width: min(grid.size.width, (columns.upperBound + 1) * grid.cell.width) - x,
            height: min(grid.size.height, (rows.upperBound + 1) * grid.cell.height) - y)
        var patched = chain
        patched.replace(
            at: grid.location + 2,
            with: HEIFGridPart.bytes([rows.count - 1, columns.count - 1], 1)
                + HEIFGridPart.bytes([shown.width, shown.height], grid.sideBytes))
        patched.replace(at: grid.sides, with: HEIFGridPart.bytes([shown.width, shown.height], 4))
        let item = chain.big(grid.reference.lowerBound + 8, 2) ?? 0
        let list = ISOBox.box("dimg", HEIFGridPart.bytes([item, kept.count] + kept, 2))
        let filler = ISOBox.box("free", HEIFGridPart.bytes([from, named] + others.prefix(named), 2))
        patched.replace(at: grid.reference.lowerBound, with: [UInt8](list + filler))
        self.chain = patched
        let location = PixelArea(x: stored.x - x, y: stored.y - y, size: stored.size)
        size = grid.orientation.displaySize(of: shown)
        self.area = grid.orientation.inverse.storedArea(of: location, in: size)
    }

    /// Returns numbers of `size` bytes each, most significant byte first.
    private static func bytes(_ numbers: [Int], _ size: Int) -> [UInt8] {
        numbers.flatMap { $0.bigEndianBytes(size) }
    }
}
