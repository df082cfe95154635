import FoundationEssentials

/// A HEIC whose image is a grid of cells, all of them the one image of a file that `heif-enc` wrote.
///
/// - Source: ISO/IEC 23008-12 §6.6.2.3 (derived images), ISO/IEC 14496-12 §8.11 (items).
struct GridFile {
    let columns: Int
    let rows: Int
    /// The sides of a cell in pixels.
    let cell: Int

    /// Returns the file; `nil` if `single` is not such a file.
    func data(of single: Data) -> Data? {
        let bytes = [UInt8](single)
        guard let configuration = GridFile.box("hvcC", in: bytes),
            let coded = GridFile.box("mdat", in: bytes)?.dropFirst(8)
        else { return nil }
        let head = box("ftyp", Array("heic".utf8) + big(0, 4) + Array("mif1heic".utf8))
        // Order: offsets depend on the length of the description, which does not depend on them.
        let start = head.count + meta(configuration, coded.count, start: 0).count + 8
        return Data(head + meta(configuration, coded.count, start: start) + box("mdat", Array(coded)))
    }

    private var cells: Range<Int> { 2..<2 + columns * rows }

    private func meta(_ configuration: ArraySlice<UInt8>, _ length: Int, start: Int) -> [UInt8] {
        let (width, height) = (columns * cell, rows * cell)
        let grid: [UInt8] = [0, 0, UInt8(rows - 1), UInt8(columns - 1)] + big(width, 2) + big(height, 2)
        let items = [(1, "grid")] + cells.map { ($0, "hvc1") }
        let names = items.flatMap { box("infe", [2, 0, 0, 0] + big($0.0, 2) + big(0, 2) + Array($0.1.utf8) + [0]) }
        // Version 1: item, way of addressing, file, number of extents, offset, length.
        var places = big(1, 2) + big(1, 2) + big(0, 2) + big(1, 2) + big(0, 4) + big(grid.count, 4)
        for item in cells { places += big(item, 2) + big(0, 4) + big(1, 2) + big(start, 4) + big(length, 4) }
        let properties: [UInt8] =
            box("ispe", big(0, 4) + big(width, 4) + big(height, 4)) + Array(configuration)
            + box("ispe", big(0, 4) + big(cell, 4) + big(cell, 4))
        var uses = big(0, 4) + big(items.count, 4) + big(1, 2) + [1, 1]
        for item in cells { uses += big(item, 2) + [2, 0x82, 3] }
        let content =
            box("hdlr", big(0, 8) + Array("pict".utf8) + big(0, 13)) + box("pitm", big(0, 4) + big(1, 2))
            + box("idat", grid) + box("iloc", [1, 0, 0, 0, 0x44, 0] + big(items.count, 2) + places)
            + box("iinf", big(0, 4) + big(items.count, 2) + names)
            + box("iprp", box("ipco", properties) + box("ipma", uses))
            + box("iref", big(0, 4) + box("dimg", big(1, 2) + big(cells.count, 2) + cells.flatMap { big($0, 2) }))
        return box("meta", big(0, 4) + content)
    }

    /// Returns the first box of a type, with its header, wherever it is.
    private static func box(_ type: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        let name = Array(type.utf8)
        guard let at = bytes.indices.dropFirst(4).first(where: { bytes[$0...].starts(with: name) }) else { return nil }
        let length = bytes[at - 4..<at].reduce(0) { $0 << 8 | Int($1) }
        return length >= 8 && at - 4 + length <= bytes.count ? bytes[at - 4..<at - 4 + length] : nil
    }

    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(type.utf8) + content
    }

    private func big(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
