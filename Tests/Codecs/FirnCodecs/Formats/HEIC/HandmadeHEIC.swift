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

    /// An item that makes the second one of two images the gain map of the first.
    enum Map {
        /// A derived image with this content.
        case tone([UInt8])
        /// EXIF data of the first image; the second one is an auxiliary image.
        case apple(exif: Data)

        var item: (type: String, content: [UInt8]) {
            switch self {
            case .tone(let content): ("tmap", content)
            case .apple(let exif): ("Exif", [0, 0, 0, 0] + exif)
            }
        }
    }

    /// Returns a file of the two images, of which the second one may have a color profile of its own, or be a map.
    static func images(secondProfile icc: Data = Data(), map: Map? = nil) -> Data {
        let file = HandmadeHEIC(columns: 1, rows: 1, width: 64, height: 64)
        let head = file.box("ftyp", Array("heic".utf8) + file.big(0, 4) + Array("mif1heic".utf8))
        let length = head.count + file.metaOfImages(icc, map, start: 0).count + 8
        let payload = images.flatMap { [UInt8](ModernSamples.twoHEIC)[$0] } + (map?.item.content ?? [])
        return Data(head + file.metaOfImages(icc, map, start: length) + file.box("mdat", payload))
    }

    private func metaOfImages(_ icc: Data, _ map: Map?, start: Int) -> [UInt8] {
        let images = HandmadeHEIC.images
        var items: [(type: String, offset: Int, count: Int)] = images.map {
            ("hvc1", start + $0.lowerBound - images[0].lowerBound, $0.count)
        }
        var references: [UInt8] = []
        if let map {
            items.append((map.item.type, start + images[1].upperBound - images[0].lowerBound, map.item.content.count))
            switch map {
            case .tone: references = box("dimg", big(3, 2) + big(2, 2) + big(1, 2) + big(2, 2))
            case .apple:
                references =
                    box("auxl", big(2, 2) + big(1, 2) + big(1, 2)) + box("cdsc", big(3, 2) + big(1, 2) + big(1, 2))
            }
        }
        var (names, places): ([UInt8], [UInt8]) = ([], [])
        for (index, item) in items.enumerated() {
            let flags: [UInt8] = [2, 0, 0, map != nil && index > 0 ? 1 : 0]
            names += box("infe", flags + big(index + 1, 2) + big(0, 2) + Array(item.type.utf8) + [0])
            places += big(index + 1, 2) + big(0, 2) + big(1, 2) + big(item.offset, 4) + big(item.count, 4)
        }
        var properties =
            Array([UInt8](ModernSamples.twoHEIC)[HandmadeHEIC.configuration])
            + box("ispe", big(0, 4) + big(64, 4) + big(64, 4))
        var third: [UInt8] = []
        if case .apple = map {
            properties += box("auxC", big(0, 4) + Array("urn:com:apple:photo:2020:aux:hdrgainmap\0".utf8))
            third = [3]
        } else if !icc.isEmpty {
            properties += box("colr", Array("prof".utf8) + icc)
            third = [3]
        }
        var uses: [UInt8] = big(0, 4) + big(2, 4) + big(1, 2)
        uses += [2, 0x81, 2]
        uses += big(2, 2)
        uses += [UInt8(2 + third.count), 0x81, 2] + third
        let content =
            box("hdlr", big(0, 8) + Array("pict".utf8) + big(0, 13)) + box("pitm", big(0, 4) + big(1, 2))
            + box("iloc", [0, 0, 0, 0, 0x44, 0x00] + big(items.count, 2) + places)
            + box("iinf", big(0, 4) + big(items.count, 2) + names)
            + (references.isEmpty ? [] : box("iref", big(0, 4) + references))
            + box("iprp", box("ipco", properties) + box("ipma", uses))
        return box("meta", big(0, 4) + content)
    }
}
