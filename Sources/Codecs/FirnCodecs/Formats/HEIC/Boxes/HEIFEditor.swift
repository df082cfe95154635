import FirnSync
import FoundationEssentials

/// Replaces the EXIF data and the XMP packet of an AVIF or HEIC file.
///
/// The `meta` box is written anew, and everything behind it moves: the offsets in `iloc`, `stco` and `co64` follow. New
/// packets go to the end of the file, unless they fit into the place of the old ones, which is overwritten. Other items
/// and all samples stay byte for byte.
///
/// - Source: ISO/IEC 14496-12 §8.7.5, §8.11; ISO/IEC 23008-12 §6.5.8, annex A.
struct HEIFMetadata {
    private struct Item {
        var number: Int
        var method = 0
        var reference = 0
        var extents: [(offset: Int, length: Int)] = []
    }

    private let format: ImageFormat
    private var file: Data
    private let chain: ByteChain
    private let meta: ISOBox
    private let boxes: [ISOBox]
    private var items: [Item] = []
    /// Bytes behind the old end of the file.
    private var tail = Data()
    private var removed: Set<Int> = []
    /// The entries of new items.
    private var entries = Data()
    private var references = Data()
    private var newCount = 0

    private static let most = 65_000

    static func replacing(
        _ packets: MetadataPackets, in file: Data, of format: ImageFormat
    ) throws(ImageError) -> Data {
        if packets.exif == nil, packets.xmp == nil { return file }
        if var editor = HEIFMetadata(file, format), editor.replace(packets), let result = editor.result() {
            return result
        }
        throw MetadataFile.error(.unsupported, "its boxes have a structure that cannot be changed", format)
    }

    private init?(_ file: Data, _ format: ImageFormat) {
        self.format = format
        self.file = Data(file)
        let chain = ByteChain(whole: file)
        self.chain = chain
        let all = ISOBox.boxes(in: 0..<chain.count, of: chain)
        guard let meta = all.first("meta"), all.last?.content.upperBound == chain.count,
            !all.contains(where: { $0.type == "moof" || $0.type == "sidx" }),
            // A box up to the end of the file would swallow what is appended.
            all.allSatisfy({ chain.big($0.typeOffset - 4, 4) != 0 || $0.type == "mdat" })
        else { return nil }
        self.meta = meta
        boxes = meta.children(of: chain, after: 4)
        guard boxes.last?.content.upperBound == meta.content.upperBound, readItems() else { return nil }
        if let last = all.last, chain.big(last.typeOffset - 4, 4) == 0 {
            let length = last.content.upperBound - last.typeOffset + 4
            guard length < 1 << 32 else { return nil }
            self.file.replaceSubrange(last.typeOffset - 4..<last.typeOffset, with: length.bigEndianBytes(4))
        }
    }

    private mutating func readItems() -> Bool {
        guard var fields = boxes.first("iloc")?.fields(of: chain), let head = fields.versionAndFlags(),
            head.version < 3, let sizes = fields.number(2), let count = fields.number(head.version < 2 ? 2 : 4),
            count < Self.most
        else { return false }
        let (offsetBytes, lengthBytes) = (sizes >> 12 & 15, sizes >> 8 & 15)
        let (baseBytes, indexBytes) = (sizes >> 4 & 15, head.version == 0 ? 0 : sizes & 15)
        func number(_ bytes: Int) -> Int? { bytes == 0 ? 0 : bytes <= 8 ? fields.number(bytes) : nil }
        for _ in 0..<count {
            guard let found = fields.number(head.version < 2 ? 2 : 4),
                let method = head.version == 0 ? 0 : fields.number(2), let reference = fields.number(2),
                let base = number(baseBytes), let extents = fields.number(2), (0...2).contains(method)
            else { return false }
            var item = Item(number: found, method: method, reference: reference)
            for _ in 0..<extents {
                guard let index = number(indexBytes), let offset = number(offsetBytes),
                    let length = number(lengthBytes),
                    index == 0 || method != 2, length > 0, length <= chain.count
                else { return false }
                item.extents.append((base.saturatingAdd(offset), length))
            }
            items.append(item)
        }
        return true
    }

    /// Returns the bytes of an item in the file; `nil` unless they are known.
    private func place(of item: Item) -> [Range<Int>]? {
        var base = 0
        if item.method == 1 {
            guard let data = boxes.first("idat") else { return nil }
            base = data.content.lowerBound
        }
        guard item.method < 2, item.reference == 0 else { return nil }
        let ranges = item.extents.map { extent in
            let start = base.saturatingAdd(extent.offset)
            return start..<start.saturatingAdd(extent.length)
        }
        return ranges.allSatisfy { $0.upperBound <= chain.count } ? ranges : nil
    }

    /// The items that describe the primary image: their numbers, types and media types.
    private var descriptions: [(number: Int, type: FourCharacterCode, mime: String)]? {
        guard let items = HEIFItems(chain), let primary = items.primary, let list = boxes.first("iinf") else {
            return nil
        }
        var described: Set<Int> = []
        if let references = boxes.first("iref") {
            let size = chain.byte(at: references.content.lowerBound) == 0 ? 2 : 4
            for box in references.children(of: chain, after: 4) where box.type == "cdsc" {
                guard var fields = box.fields(of: chain), let from = fields.number(size), let count = fields.number(2)
                else { return nil }
                let targets = (0..<count).compactMap { _ in fields.number(size) }
                if targets.contains(primary) { described.insert(from) }
            }
        }
        return entriesOf(list).compactMap { entry in
            guard described.contains(entry.number) else { return nil }
            return (entry.number, entry.type, entry.mime)
        }
    }

    private func entriesOf(
        _ list: ISOBox
    ) -> [(number: Int, type: FourCharacterCode, mime: String, range: Range<Int>)] {
        let isShort = chain.byte(at: list.content.lowerBound) == 0
        return list.children(of: chain, after: isShort ? 6 : 8).compactMap { box in
            guard var fields = box.fields(of: chain), let head = fields.versionAndFlags(), head.version >= 2,
                let number = fields.number(head.version == 2 ? 2 : 4), fields.pass(2) != nil, let type = fields.code()
            else { return nil }
            let texts = (fields.take(fields.rest) ?? []).split(separator: 0, omittingEmptySubsequences: false)
            let mime = texts.count > 1 ? String(decoding: texts[1], as: UTF8.self) : ""
            return (number, type, mime, box.typeOffset - 4..<box.content.upperBound)
        }
    }

    private mutating func replace(_ packets: MetadataPackets) -> Bool {
        guard let found = descriptions else { return false }
        let mime = "application/rdf+xml"
        if let exif = packets.exif {
            let old = found.filter { $0.type == "Exif" }.map(\.number)
            let content = exif.isEmpty ? nil : Data([0, 0, 0, 0]) + exif
            guard replace(old, with: content, "Exif", Data([0])) else { return false }
        }
        if let xmp = packets.xmp {
            let old = found.filter { $0.type == "mime" && $0.mime == mime }.map(\.number)
            let content = xmp.isEmpty ? nil : xmp
            guard replace(old, with: content, "mime", Data([0]) + Data(mime.utf8) + [0]) else { return false }
        }
        return true
    }

    /// Replaces items with one, or with none.
    ///
    /// - Parameter names: the fields behind the type in the entry of a new item.
    private mutating func replace(
        _ old: [Int], with content: Data?, _ type: FourCharacterCode, _ names: Data
    ) -> Bool {
        var old = old
        // Each is compared with all other items.
        guard old.count <= 64 else { return false }
        let kept = content == nil ? nil : old.first
        var room: Range<Int>?
        for number in old {
            guard let index = items.firstIndex(where: { $0.number == number }), let ranges = place(of: items[index])
            else { return false }
            // Bytes that another item uses, too, stay.
            let others = items.filter { $0.number != number }.compactMap { place(of: $0) }.flatMap(\.self)
            for range in ranges where !others.contains(where: { $0.overlaps(range) }) {
                file.replaceSubrange(range, with: Data(count: range.count))
                if number == kept, ranges.count == 1, items[index].method == 0 { room = range }
            }
        }
        if kept != nil { old.removeFirst() }
        removed.formUnion(old)
        items.removeAll { old.contains($0.number) }
        guard let content else { return true }
        var extent = (offset: 0, length: content.count)
        if let room, content.count <= room.count {
            extent.offset = room.lowerBound
            file.replaceSubrange(room.lowerBound..<room.lowerBound + content.count, with: content)
        } else {
            // The header of the box.
            extent.offset = chain.count + tail.count + 8
            guard content.count < 1 << 31 else { return false }
            tail += (content.count + 8).bigEndianBytes(4) + FourCharacterCode("mdat").bytes + content
        }
        if let kept, let index = items.firstIndex(where: { $0.number == kept }) {
            items[index] = Item(number: kept, extents: [extent])
            return true
        }
        guard let list = boxes.first("iinf"), let primary = HEIFItems(chain)?.primary else { return false }
        let used = items.map(\.number) + entriesOf(list).map(\.number)
        let number = (used.max() ?? 0) + 1
        let size = longNumbers ? 4 : 2
        guard number < 1 << (8 * size - 1), primary < 1 << (8 * size) else { return false }
        items.append(Item(number: number, extents: [extent]))
        let version = size == 2 ? 2 : 3
        entries += HEIFMetadata.box(
            "infe", Data((version << 24).bigEndianBytes(4) + number.bigEndianBytes(size) + [0, 0] + type.bytes) + names)
        references += HEIFMetadata.box(
            "cdsc", Data(number.bigEndianBytes(size) + 1.bigEndianBytes(2) + primary.bigEndianBytes(size)))
        newCount += 1
        return true
    }

    /// True if references use numbers of four bytes.
    private var longNumbers: Bool {
        if let list = boxes.first("iref") { return chain.byte(at: list.content.lowerBound) != 0 }
        return items.contains { $0.number >= 0x8000 }
    }

    private static func box(_ type: FourCharacterCode, _ content: Data) -> Data {
        Data((content.count + 8).bigEndianBytes(4) + type.bytes) + content
    }

    /// Returns the bytes of the new `file` in a range of the old one. A damaged box may declare more than there are.
    private func bytes(_ range: Range<Int>) -> Data { Data(file[range.clamped(to: 0..<file.count)]) }

    /// Returns the new meta box. Bytes of the file from its old end on move by `moved`.
    private func metaBox(moved: Int) -> Data? {
        var content = bytes(meta.content.lowerBound..<meta.content.lowerBound + 4)
        var hasReferences = false
        for box in boxes {
            switch box.type {
            case "iinf":
                guard let list = itemList(box) else { return nil }
                content += list
            case "iref":
                hasReferences = true
                content += referenceList(box)
            case "iloc": content += locations(moved: moved)
            default: content += bytes(box.typeOffset - 4..<box.content.upperBound)
            }
        }
        if !hasReferences, !references.isEmpty {
            let version = longNumbers ? 1 : 0
            content += HEIFMetadata.box("iref", Data((version << 24).bigEndianBytes(4)) + references)
        }
        return HEIFMetadata.box("meta", content)
    }

    private func itemList(_ box: ISOBox) -> Data? {
        let isShort = chain.byte(at: box.content.lowerBound) == 0
        let size = isShort ? 2 : 4
        let start = box.content.lowerBound + 4
        guard let count = chain.big(start, size) else { return nil }
        let all = entriesOf(box)
        guard all.count == count, let new = Optional(count - removed.count + newCount), new < Self.most else {
            return nil
        }
        let kept = all.filter { !removed.contains($0.number) }
        guard kept.count == count - removed.count else { return nil }
        let head = bytes(box.content.lowerBound..<start) + new.bigEndianBytes(size)
        return HEIFMetadata.box("iinf", head + kept.flatMap { bytes($0.range) } + entries)
    }

    private func referenceList(_ box: ISOBox) -> Data {
        let size = longNumbers ? 4 : 2
        let kept = box.children(of: chain, after: 4).filter { child in
            chain.big(child.content.lowerBound, size).map { !removed.contains($0) } ?? true
        }
        let head = bytes(box.content.lowerBound..<box.content.lowerBound + 4)
        return HEIFMetadata.box(
            "iref", head + kept.flatMap { bytes($0.typeOffset - 4..<$0.content.upperBound) } + references)
    }

    private func locations(moved: Int) -> Data {
        let isLong = items.contains { $0.number > 0xFFFF } || items.count > 0xFFFF
        let isWide = chain.count + tail.count >= 1 << 31
        let size = isWide ? 8 : 4
        var content = Data(((isLong ? 2 : 1) << 24).bigEndianBytes(4) + [isWide ? 0x88 : 0x44, 0])
        content += items.count.bigEndianBytes(isLong ? 4 : 2)
        for item in items {
            content += item.number.bigEndianBytes(isLong ? 4 : 2) + item.method.bigEndianBytes(2)
            content += item.reference.bigEndianBytes(2) + item.extents.count.bigEndianBytes(2)
            for extent in item.extents {
                let moves = item.method == 0 && item.reference == 0 && extent.offset >= meta.content.upperBound
                content += extent.offset.saturatingAdd(moves ? moved : 0).bigEndianBytes(size)
                content += extent.length.bigEndianBytes(size)
            }
        }
        return HEIFMetadata.box("iloc", content)
    }

    /// Returns the new file.
    private mutating func result() -> Data? {
        let start = meta.typeOffset - 4
        guard let draft = metaBox(moved: 0) else { return nil }
        let moved = draft.count - (meta.content.upperBound - start)
        guard let box = metaBox(moved: moved), box.count == draft.count else { return nil }
        for top in ISOBox.boxes(in: 0..<chain.count, of: chain) where top.type == "moov" {
            guard moveSamples(in: top, by: moved) else { return nil }
        }
        return file[..<start] + box + file[meta.content.upperBound...] + tail
    }

    /// Moves the offsets of samples behind the meta box; returns false for a table that cannot be changed.
    private mutating func moveSamples(in movie: ISOBox, by moved: Int) -> Bool {
        for track in movie.children(of: chain) where track.type == "trak" {
            var inner = track.children(of: chain)
            for type in ["mdia", "minf", "stbl"] as [FourCharacterCode] {
                inner = inner.first(type)?.children(of: chain) ?? []
            }
            for table in inner where table.type == "stco" || table.type == "co64" {
                let size = table.type == "stco" ? 4 : 8
                guard let count = chain.big(table.content.lowerBound + 4, 4),
                    count <= (table.content.count - 8) / size
                else { return false }
                for index in 0..<count {
                    let place = table.content.lowerBound + 8 + index * size
                    guard let offset = chain.big(place, size), offset >= meta.content.upperBound else { continue }
                    let new = offset.saturatingAdd(moved)
                    guard size == 8 || new < 1 << 32 else { return false }
                    file.replaceSubrange(place..<place + size, with: new.bigEndianBytes(size))
                }
            }
        }
        return true
    }
}
