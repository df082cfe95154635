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
        // The reference that fills the list has to name at least one item.
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
            at: grid.place + 2,
            with: HEIFGridPart.bytes([rows.count - 1, columns.count - 1], 1)
                + HEIFGridPart.bytes([shown.width, shown.height], grid.sideBytes))
        patched.replace(at: grid.sides, with: HEIFGridPart.bytes([shown.width, shown.height], 4))
        let item = chain.big(grid.reference.lowerBound + 8, 2) ?? 0
        let list =
            HEIFGridPart.bytes([12 + kept.count * 2], 4) + FourCharacterCode("dimg").bytes
            + HEIFGridPart.bytes([item, kept.count] + kept, 2)
        let filler =
            HEIFGridPart.bytes([HEIFGridPart.emptyReference + named * 2], 4) + FourCharacterCode("free").bytes
            + HEIFGridPart.bytes([from, named] + others.prefix(named), 2)
        patched.replace(at: grid.reference.lowerBound, with: list + filler)
        self.chain = patched
        let place = PixelArea(x: stored.x - x, y: stored.y - y, size: stored.size)
        size = grid.orientation.displaySize(of: shown)
        self.area = grid.orientation.inverse.storedArea(of: place, in: size)
    }

    /// Returns numbers of `size` bytes each, most significant byte first.
    private static func bytes(_ numbers: [Int], _ size: Int) -> [UInt8] {
        numbers.flatMap { $0.bigEndianBytes(size) }
    }
}
