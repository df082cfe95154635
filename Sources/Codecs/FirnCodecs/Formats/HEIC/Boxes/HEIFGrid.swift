import FirnSync

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

    /// The parts of a `meta` box that describe a grid.
    private struct Meta {
        let chain: ByteChain
        let boxes: [ISOBox]
        let properties: [ISOBox]

        init?(_ chain: ByteChain) {
            guard let meta = ISOBox.boxes(in: 0..<chain.count, of: chain).first("meta") else { return nil }
            self.chain = chain
            boxes = meta.children(of: chain, after: 4)
            guard let items = boxes.first("iprp")?.children(of: chain), let list = items.first("ipco") else {
                return nil
            }
            properties = list.children(of: chain)
        }

        /// The number of the primary item.
        var primary: Int? {
            guard var fields = boxes.first("pitm")?.fields(of: chain), let head = fields.versionAndFlags() else {
                return nil
            }
            return fields.number(head.version == 0 ? 2 : 4)
        }

        /// Returns the properties of an item, in order.
        func properties(of item: Int) -> [ISOBox]? {
            let lists = boxes.first("iprp")?.children(of: chain).filter { $0.type == "ipma" } ?? []
            for list in lists {
                guard var fields = list.fields(of: chain), let head = fields.versionAndFlags(),
                    let count = fields.number(4)
                else { return nil }
                for _ in 0..<min(count, fields.rest) {
                    guard let found = fields.number(head.version == 0 ? 2 : 4), let number = fields.number(1) else {
                        return nil
                    }
                    let isWide = head.flags & 1 == 1
                    let indices = (0..<number).compactMap { _ in
                        fields.number(isWide ? 2 : 1).map { $0 & (isWide ? 0x7FFF : 0x7F) }
                    }
                    guard indices.count == number else { return nil }
                    if found == item {
                        let known = indices.filter { $0 > 0 && $0 <= properties.count }
                        return known.count == number ? known.map { properties[$0 - 1] } : nil
                    }
                }
            }
            return nil
        }

        /// Returns the size that an item declares, and the place of its sides.
        func size(_ properties: [ISOBox]) -> (size: PixelSize, location: Int)? {
            let sizes = properties.filter { $0.type == "ispe" }
            guard sizes.count == 1, let box = sizes.first, box.content.count == 12,
                let width = chain.big(box.content.lowerBound + 4, 4),
                let height = chain.big(box.content.lowerBound + 8, 4)
            else { return nil }
            return (PixelSize(width: width, height: height), box.content.lowerBound + 4)
        }

        /// Returns the offset of an item that lies in one piece, and its length.
        func location(of item: Int) -> (offset: Int, length: Int)? {
            guard var fields = boxes.first("iloc")?.fields(of: chain), let head = fields.versionAndFlags(),
                let sizes = fields.number(2), let count = fields.number(head.version < 2 ? 2 : 4)
            else { return nil }
            let (offsetBytes, lengthBytes) = (sizes >> 12 & 15, sizes >> 8 & 15)
            let (baseBytes, indexBytes) = (sizes >> 4 & 15, head.version == 0 ? 0 : sizes & 15)
            func number(_ bytes: Int) -> Int? { bytes == 0 ? 0 : bytes <= 8 ? fields.number(bytes) : nil }
            for _ in 0..<min(count, fields.rest) {
                guard let found = fields.number(head.version < 2 ? 2 : 4),
                    let method = head.version == 0 ? 0 : fields.number(2).map({ $0 & 15 }), fields.number(2) != nil,
                    let base = number(baseBytes), let extents = fields.number(2)
                else { return nil }
                var location: (offset: Int, length: Int)?
                for _ in 0..<extents {
                    // Extents without any bytes are not read.
                    guard chain.watch.count(), number(indexBytes) != nil, let offset = number(offsetBytes),
                        let length = number(lengthBytes)
                    else { return nil }
                    location = (offset, length)
                }
                guard found == item else { continue }
                guard extents == 1, let location else { return nil }
                var start = base
                if method == 1 {
                    guard let data = boxes.first("idat") else { return nil }
                    start = base.saturatingAdd(data.content.lowerBound)
                } else if method != 0 {
                    return nil
                }
                return (start.saturatingAdd(location.offset), location.length)
            }
            return nil
        }

        /// Returns the items that `item` is made of, and the place of the box that lists them. `nil` if numbers of
        /// items have 32 bits.
        func cells(of item: Int) -> (items: [Int], box: Range<Int>)? {
            guard let references = boxes.first("iref"), chain.big(references.content.lowerBound, 4) == 0 else {
                return nil
            }
            for box in references.children(of: chain, after: 4) where box.type == "dimg" {
                guard var fields = box.fields(of: chain), fields.number(2) == item else { continue }
                guard let count = fields.number(2), fields.rest == count * 2 else { return nil }
                let start = box.content.lowerBound - 8
                guard chain.big(start, 4) == box.content.count + 8 else { return nil }
                return ((0..<count).compactMap { _ in fields.number(2) }, start..<box.content.upperBound)
            }
            return nil
        }
    }

    /// Reads the grid of a complete file; `nil` if there is none in the usual form.
    init?(_ chain: ByteChain) {
        guard let meta = Meta(chain), let primary = meta.primary, let properties = meta.properties(of: primary),
            let (size, sides) = meta.size(properties), let location = meta.location(of: primary),
            let (cells, reference) = meta.cells(of: primary), let first = cells.first,
            let ofCell = meta.properties(of: first), let (cell, other) = meta.size(ofCell), other != sides,
            Set(cells).count == cells.count
        else { return nil }
        // The grid: version 0, flags, rows and columns less one, width and height.
        guard let head = chain.big(location.offset, 4), head >> 24 == 0 else { return nil }
        sideBytes = head >> 16 & 1 == 1 ? 4 : 2
        rows = (head >> 8 & 0xFF) + 1
        columns = (head & 0xFF) + 1
        guard location.length >= 4 + 2 * sideBytes, chain.big(location.offset + 4, sideBytes) == size.width,
            chain.big(location.offset + 4 + sideBytes, sideBytes) == size.height, cells.count == rows * columns,
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
        self.location = location.offset
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
        let list =
            HEIFGridPart.bytes([12 + kept.count * 2], 4) + FourCharacterCode("dimg").bytes
            + HEIFGridPart.bytes([item, kept.count] + kept, 2)
        let filler =
            HEIFGridPart.bytes([HEIFGridPart.emptyReference + named * 2], 4) + FourCharacterCode("free").bytes
            + HEIFGridPart.bytes([from, named] + others.prefix(named), 2)
        patched.replace(at: grid.reference.lowerBound, with: list + filler)
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
