import FirnSync
import FoundationEssentials

/// Joins the files of an image and of its gain map, as libavif 0.9 to 1.4 writes them, to one.
///
/// The map becomes a hidden item, and a further item (`tmap`) derives the other rendition from both. Readers that do
/// not know the type show the image alone. libavif itself writes gain maps from version 1.2 on, which is not needed.
///
/// - Source: ISO 21496-1:2025 annex C.4; ISO/IEC 23008-12 §6.6.2 (derived images), §9.3 (ipma); ISO/IEC 14496-12
///   §8.11.
enum AVIFGainMap {
    /// Returns the file; `nil` if one of the two has another form.
    static func file(_ base: Data, map: Data, _ metadata: GainMap.Metadata) -> Data? {
        let (chain, second) = (ByteChain(whole: base), ByteChain(whole: map))
        let top = ISOBox.boxes(in: 0..<chain.count, of: chain)
        guard let ftyp = top.first("ftyp"), let meta = top.first("meta"), let first = HEIFItems(chain),
            let other = HEIFItems(second), let primary = first.primary, let mapItem = other.primary,
            let properties = first.properties(of: primary), let mapProperties = other.properties(of: mapItem),
            let size = properties.first("ispe"), let coded = other.location(of: mapItem),
            let codedBytes = second.bytes(at: coded.offset, count: coded.length), base.count < Int(Int32.max),
            map.count < Int(Int32.max), first.boxes.first("idat") == nil, first.boxes.first("grpl") == nil
        else { return nil }
        let last = first.entries.map(\.item).max() ?? 0
        let (mapNumber, tone, group) = (last + 1, last + 2, last + 3)
        let content = [0] + metadata.iso

        /// The box of a file, with its header of eight bytes.
        func whole(_ box: ISOBox, of chain: ByteChain) -> [UInt8]? {
            guard box.content.lowerBound - box.typeOffset == 4 else { return nil }
            return bytes(box, of: chain).map { ISOBox.box(box.type, $0) }
        }
        func bytes(_ box: ISOBox, of chain: ByteChain) -> [UInt8]? {
            chain.bytes(at: box.content.lowerBound, count: box.content.count).map { [UInt8]($0) }
        }
        /// The content of a list in version 0, with further entries; `place` is that of its count of `count` bytes.
        func longer(_ box: ISOBox, _ count: Int, adding number: Int, _ entries: [UInt8]) -> [UInt8]? {
            guard let old = bytes(box, of: chain), old.count >= 4 + count, old[0] == 0 else { return nil }
            return old[..<4] + (old.big(4, count) + number).bigEndianBytes(count) + old[(4 + count)...] + entries
        }
        func entry(_ item: Int, hidden: Bool, _ type: FourCharacterCode) -> [UInt8] {
            ISOBox.box("infe", [2, 0, 0, hidden ? 1 : 0] + item.bigEndianBytes(2) + [0, 0] + type.bytes + [0])
        }

        // The colors of the rendition: the primaries of the image with the curve of PQ, because it exceeds white.
        var colors = ISOBox.box("colr", FourCharacterCode("nclx").bytes + [0, 2, 0, 16, 0, 0, 0x80])
        if let nclx = properties.first(where: { $0.type == "colr" && chain.code(at: $0.content.lowerBound) == "nclx" }),
            let stated = whole(nclx, of: chain), stated.count == colors.count
        {
            colors = stated[..<14] + [0, 16] + stated[16...]
        }
        let ofMap = mapProperties.compactMap { whole($0, of: second) }
        guard ofMap.count == mapProperties.count,
            let place = first.properties.firstIndex(where: { $0.content == size.content })
        else { return nil }

        func list(_ offsets: [(item: Int, offset: Int, length: Int)]) -> [UInt8]? {
            var parts: [UInt8] = [0, 0, 0, 0]
            let reference = ISOBox.box(
                "dimg", [tone, 2, primary, mapNumber].flatMap { $0.bigEndianBytes(2) })
            for box in first.boxes {
                switch box.type {
                case "iloc":
                    let entries = offsets.flatMap { item, offset, length -> [UInt8] in
                        item.bigEndianBytes(2) + [0, 0, 0, 1] + offset.bigEndianBytes(4) + length.bigEndianBytes(4)
                    }
                    parts += ISOBox.box("iloc", [0, 0, 0, 0, 0x44, 0] + offsets.count.bigEndianBytes(2) + entries)
                case "iinf":
                    let items = entry(mapNumber, hidden: true, "av01") + entry(tone, hidden: false, "tmap")
                    guard let list = longer(box, 2, adding: 2, items) else { return nil }
                    parts += ISOBox.box("iinf", list)
                    if first.boxes.first("iref") == nil { parts += ISOBox.box("iref", [0, 0, 0, 0] + reference) }
                case "iref":
                    guard let list = longer(box, 0, adding: 0, reference) else { return nil }
                    parts += ISOBox.box("iref", list)
                case "iprp":
                    let inner = box.children(of: chain)
                    guard let shared = inner.first("ipco"), let old = bytes(shared, of: chain), inner.count == 2,
                        let table = inner.first("ipma"), let flags = chain.byte(at: table.content.lowerBound + 3)
                    else { return nil }
                    let start = first.properties.count + 1
                    // The configuration of the codec is essential.
                    let indices = mapProperties.enumerated().map { (start + $0, $1.type == "av1C") }
                    func association(_ item: Int, _ indices: [(Int, Bool)]) -> [UInt8] {
                        let (size, bit) = flags & 1 == 1 ? (2, 0x8000) : (1, 0x80)
                        return item.bigEndianBytes(2) + [UInt8(clamping: indices.count)]
                            + indices.flatMap { ($0 | ($1 ? bit : 0)).bigEndianBytes(size) }
                    }
                    let added =
                        association(mapNumber, indices)
                        + association(tone, [(place + 1, false), (start + ofMap.count, false)])
                    guard flags & 1 == 1 || start + ofMap.count < 0x80,
                        let associations = longer(table, 4, adding: 2, added)
                    else { return nil }
                    parts += ISOBox.box(
                        "iprp", ISOBox.box("ipco", old + ofMap.joined() + colors) + ISOBox.box("ipma", associations))
                default:
                    guard let box = whole(box, of: chain) else { return nil }
                    parts += box
                }
            }
            let numbers = [0, group, 2, tone, primary].flatMap { $0.bigEndianBytes(4) }
            return ISOBox.box("meta", parts + ISOBox.box("grpl", ISOBox.box("altr", numbers)))
        }

        // The boxes before and behind the list of items. Those behind it move by as much as the list grows.
        guard let brands = whole(ftyp, of: chain), ftyp.typeOffset == 4, meta.typeOffset == brands.count + 4 else {
            return nil
        }
        let head = ISOBox.box("ftyp", brands[8...] + FourCharacterCode("tmap").bytes)
        let rest = base[(base.startIndex + meta.content.upperBound)...]
        let items = first.entries.map(\.item)
        let places = items.compactMap { first.location(of: $0) }
        guard places.count == items.count, places.allSatisfy({ $0.offset >= meta.content.upperBound }),
            let length = list(items.map { ($0, 0, 0) } + [(mapNumber, 0, 0), (tone, 0, 0)])?.count
        else { return nil }
        let moved = head.count + length - meta.content.upperBound
        let start = head.count + length + rest.count + 8
        let offsets =
            zip(items, places).map { ($0, $1.offset + moved, $1.length) }
            + [(mapNumber, start, coded.length), (tone, start + coded.length, content.count)]
        guard let items = list(offsets) else { return nil }
        return Data(head + items) + rest + ISOBox.header("mdat", coded.length + content.count) + codedBytes + content
    }

}
