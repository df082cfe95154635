import FoundationEssentials

/// Puts the two coded images of ``ModernSamples/twoHEIC``, of 64 by 64 pixels, into the cells of a grid.
struct HandmadeHEIC {
    var columns: Int
    var rows: Int
    var width: Int
    var height: Int
    /// The rotation in quarters of a turn, counterclockwise; none if `nil`.
    var turns: UInt8?
    /// True if a mirror is applied, too.
    var isMirrored = false
    /// The cells without coded bytes; the others are one of the two images in turn.
    var damaged: Set<Int> = []

    /// The places in the sample: the decoder configuration with its header, and the images.
    private static let configuration = 333..<451
    private static let images = [765..<945, 945..<1097]

    var data: Data {
        let sample = [UInt8](ModernSamples.twoHEIC)
        let head = box("ftyp", Array("heic".utf8) + big(0, 4) + Array("mif1heic".utf8))
        // Order: offsets depend on the length of the description, which does not depend on them.
        let length = head.count + meta(sample, start: 0).count + 8
        let payload = HandmadeHEIC.images.flatMap { sample[$0] }
        return Data(head + meta(sample, start: length) + box("mdat", payload))
    }

    private var cells: Range<Int> { 2..<2 + columns * rows }

    private func meta(_ sample: [UInt8], start: Int) -> [UInt8] {
        let grid: [UInt8] = [0, 0, UInt8(rows - 1), UInt8(columns - 1)] + big(width, 2) + big(height, 2)
        let items = [(1, "grid")] + cells.map { ($0, "hvc1") }
        let names = items.flatMap { box("infe", [2, 0, 0, 0] + big($0.0, 2) + big(0, 2) + Array($0.1.utf8) + [0]) }
        // Version 1: item, way of addressing, file, number of extents, offset, length.
        var places = big(1, 2) + big(1, 2) + big(0, 2) + big(1, 2) + big(0, 4) + big(grid.count, 4)
        for cell in cells {
            let image = HandmadeHEIC.images[(cell + (cell - 2) / columns) % 2]
            let offset = start + image.lowerBound - HandmadeHEIC.images[0].lowerBound
            let count = damaged.contains(cell - 2) ? 0 : image.count
            places += big(cell, 2) + big(0, 2) + big(0, 2) + big(1, 2) + big(offset, 4) + big(count, 4)
        }
        var properties = box("ispe", big(0, 4) + big(width, 4) + big(height, 4))
        properties += sample[HandmadeHEIC.configuration]
        properties += box("ispe", big(0, 4) + big(64, 4) + big(64, 4))
        properties += box("irot", [turns ?? 0]) + box("imir", [0])
        let ofGrid: [UInt8] = [1] + (turns == nil ? [] : [0x84]) + (isMirrored ? [0x85] : [])
        var uses = big(0, 4) + big(items.count, 4) + big(1, 2) + [UInt8(ofGrid.count)] + ofGrid
        for cell in cells { uses += big(cell, 2) + [2, 0x82, 3] }
        let content =
            box("hdlr", big(0, 8) + Array("pict".utf8) + big(0, 13)) + box("pitm", big(0, 4) + big(1, 2))
            + box("idat", grid)
            + box("iloc", [1, 0, 0, 0, 0x44, 0x00] + big(items.count, 2) + places)
            + box("iinf", big(0, 4) + big(items.count, 2) + names)
            + box("iprp", box("ipco", properties) + box("ipma", uses))
            + box("iref", big(0, 4) + box("dimg", big(1, 2) + big(cells.count, 2) + cells.flatMap { big($0, 2) }))
        return box("meta", big(0, 4) + content)
    }

    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(type.utf8) + content
    }

    private func big(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { $0 > 7 ? 0 : UInt8(value >> ($0 * 8) & 255) }
    }

    /// Returns a file of the two images, of which the second one has a color profile of its own.
    static func images(secondProfile icc: Data) -> Data {
        let file = HandmadeHEIC(columns: 1, rows: 1, width: 64, height: 64)
        let head = file.box("ftyp", Array("heic".utf8) + file.big(0, 4) + Array("mif1heic".utf8))
        let length = head.count + file.metaOfImages(icc, start: 0).count + 8
        let payload = images.flatMap { [UInt8](ModernSamples.twoHEIC)[$0] }
        return Data(head + file.metaOfImages(icc, start: length) + file.box("mdat", payload))
    }

    private func metaOfImages(_ icc: Data, start: Int) -> [UInt8] {
        let images = HandmadeHEIC.images
        let names = [1, 2].flatMap { box("infe", [2, 0, 0, 0] + big($0, 2) + big(0, 2) + Array("hvc1".utf8) + [0]) }
        var places: [UInt8] = []
        for (item, image) in zip([1, 2], images) {
            let offset = start + image.lowerBound - images[0].lowerBound
            places += big(item, 2) + big(0, 2) + big(1, 2) + big(offset, 4) + big(image.count, 4)
        }
        let properties =
            Array([UInt8](ModernSamples.twoHEIC)[HandmadeHEIC.configuration])
            + box("ispe", big(0, 4) + big(64, 4) + big(64, 4)) + box("colr", Array("prof".utf8) + icc)
        var uses: [UInt8] = big(0, 4) + big(2, 4) + big(1, 2)
        uses += [2, 0x81, 2]
        uses += big(2, 2)
        uses += [3, 0x81, 2, 3]
        let content =
            box("hdlr", big(0, 8) + Array("pict".utf8) + big(0, 13)) + box("pitm", big(0, 4) + big(1, 2))
            + box("iloc", [0, 0, 0, 0, 0x44, 0x00] + big(2, 2) + places)
            + box("iinf", big(0, 4) + big(2, 2) + names)
            + box("iprp", box("ipco", properties) + box("ipma", uses))
        return box("meta", big(0, 4) + content)
    }
}
