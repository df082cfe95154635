import FirnSync
import FoundationEssentials

/// Replaces and adds items of an AVIF or HEIC file.
///
/// The `meta` box is written anew, and everything behind it moves: the offsets in `iloc`, `stco` and `co64` follow. New
/// items go to the end of the file, unless they fit into the place of old ones, which is overwritten. Other items and
/// all samples stay byte for byte.
///
/// - Source: ISO/IEC 14496-12 §8.7.5, §8.11; ISO/IEC 23008-12 §6.5.8, §9.3, annex A.
struct HEIFEditor {
    /// The items of the old file.
    let items: HEIFItems
    /// Further brands of the file.
    var brands: [FourCharacterCode] = []
    /// Further boxes in `meta`.
    var further = Data()

    private var file: Data
    private let meta: ISOBox
    private var chain: ByteChain { items.chain }
    private var locations: [HEIFItems.Location] = []
    /// Bytes behind the old end of the file.
    private var tail = Data()
    private var removed: Set<Int> = []
    /// The entries and the references of new items, and their properties with the lists of those.
    private var entries = Data()
    private var references = Data()
    private var newCount = 0
    private var properties: [Data] = []
    private var associations: [(item: Int, indices: [(index: Int, isEssential: Bool)])] = []

    private static let most = 65_000

    init?(_ file: Data) {
        self.file = Data(file)
        let chain = ByteChain(whole: file)
        let all = ISOBox.boxes(in: 0..<chain.count, of: chain)
        guard let items = HEIFItems(chain), let meta = all.first("meta"), all.last?.content.upperBound == chain.count,
            !all.contains(where: { $0.type == "moof" || $0.type == "sidx" }),
            // A box up to the end of the file would swallow what is appended.
            all.allSatisfy({ chain.big($0.whole.lowerBound, 4) != 0 || $0.type == "mdat" }),
            items.boxes.last?.content.upperBound == meta.content.upperBound
        else { return nil }
        (self.items, self.meta) = (items, meta)
        var locations: [HEIFItems.Location] = []
        let isWhole = items.forEachLocation { location in
            locations.append(location)
            return locations.count < Self.most
        }
        guard isWhole, locations.count < Self.most, locations.allSatisfy({ isKnown($0) }) else { return nil }
        self.locations = locations
        if let last = all.last, chain.big(last.whole.lowerBound, 4) == 0 {
            guard last.whole.count < 1 << 32 else { return nil }
            self.file.replaceSubrange(last.typeOffset - 4..<last.typeOffset, with: last.whole.count.bigEndianBytes(4))
        }
    }

    private func isKnown(_ location: HEIFItems.Location) -> Bool {
        (0...2).contains(location.method) && !(location.hasIndices && location.method == 2)
            && location.extents.allSatisfy { $0.length > 0 && $0.length <= chain.count }
    }

    // MARK: Metadata

    /// Returns a file with other EXIF data and another XMP packet.
    static func replacing(_ packets: MetadataPackets, in file: Data, of format: ImageFormat) throws(ImageError) -> Data
    {
        if packets.exif == nil, packets.xmp == nil { return file }
        if var editor = HEIFEditor(file), editor.replace(packets), let result = editor.result() { return result }
        throw MetadataFile.error(.unsupported, "its boxes have a structure that cannot be changed", format)
    }

    private mutating func replace(_ packets: MetadataPackets) -> Bool {
        guard let primary = items.primary else { return false }
        // The items that describe the primary image.
        let described = Set(items.references("cdsc").filter { $0.to.contains(primary) }.map(\.from))
        let found = items.entries.filter { described.contains($0.item) }
        let mime = "application/rdf+xml"
        if let exif = packets.exif {
            let old = found.filter { $0.type == "Exif" }.map(\.item)
            let content = exif.isEmpty ? nil : Data([0, 0, 0, 0]) + exif
            guard replace(old, with: content, "Exif", Data([0]), primary) else { return false }
        }
        if let xmp = packets.xmp {
            let old = found.filter { $0.type == "mime" && $0.mime == mime }.map(\.item)
            let names = Data([0]) + Data(mime.utf8) + [0]
            guard replace(old, with: xmp.isEmpty ? nil : xmp, "mime", names, primary) else { return false }
        }
        return true
    }

    /// Replaces items with one that describes the primary image, or with none.
    ///
    /// - Parameter names: the fields behind the type in the entry of a new item.
    private mutating func replace(
        _ old: [Int], with content: Data?, _ type: FourCharacterCode, _ names: Data, _ primary: Int
    ) -> Bool {
        var old = old
        // Each is compared with all other items.
        guard old.count <= 64 else { return false }
        let kept = content == nil ? nil : old.first
        var room: Range<Int>?
        for number in old {
            guard let location = locations.first(where: { $0.item == number }), let ranges = items.ranges(of: location)
            else { return false }
            // Bytes that another item uses, too, stay.
            let others = locations.filter { $0.item != number }.compactMap { items.ranges(of: $0) }.flatMap(\.self)
            for range in ranges where !others.contains(where: { $0.overlaps(range) }) {
                file.replaceSubrange(range, with: Data(count: range.count))
                if number == kept, ranges.count == 1, location.method == 0 { room = range }
            }
        }
        if kept != nil { old.removeFirst() }
        removed.formUnion(old)
        locations.removeAll { old.contains($0.item) }
        guard let content else { return true }
        guard let kept, let index = locations.firstIndex(where: { $0.item == kept }) else {
            guard let number = add(type, content, names: names) else { return false }
            return refer("cdsc", from: number, to: [primary])
        }
        if let room, content.count <= room.count {
            file.replaceSubrange(room.lowerBound..<room.lowerBound + content.count, with: content)
            locations[index] = HEIFItems.Location(item: kept, extents: [(room.lowerBound, content.count)])
            return true
        }
        guard let extent = append(content) else { return false }
        locations[index] = HEIFItems.Location(item: kept, extents: [extent])
        return true
    }

    // MARK: New items

    private mutating func append(_ content: Data) -> (offset: Int, length: Int)? {
        guard content.count < 1 << 31 else { return nil }
        defer { tail += ISOBox.box("mdat", content) }
        // The header of the box has eight bytes.
        return (chain.count + tail.count + 8, content.count)
    }

    /// Adds an item, and returns its number; `nil` if it is too long, or there are too many.
    ///
    /// - Parameter names: the fields behind the type in its entry.
    mutating func add(
        _ type: FourCharacterCode, _ content: Data, names: Data = Data([0]), isHidden: Bool = false
    ) -> Int? {
        let number = ((locations.map(\.item) + items.entries.map(\.item)).max() ?? 0) + 1
        guard number < 1 << (8 * numberSize - 1), let extent = append(content) else { return nil }
        locations.append(HEIFItems.Location(item: number, extents: [extent]))
        let head = (numberSize == 2 ? 2 : 3) << 24 | (isHidden ? 1 : 0)
        entries += ISOBox.box(
            "infe", head.bigEndianBytes(4) + number.bigEndianBytes(numberSize) + [0, 0] + type.bytes + names)
        newCount += 1
        return number
    }

    /// Adds a reference; returns false if a number is too large.
    mutating func refer(_ type: FourCharacterCode, from item: Int, to others: [Int]) -> Bool {
        guard others.allSatisfy({ $0 < 1 << (8 * numberSize) }) else { return false }
        references += ISOBox.box(
            type,
            item.bigEndianBytes(numberSize) + others.count.bigEndianBytes(2)
                + others.flatMap { $0.bigEndianBytes(numberSize) })
        return true
    }

    /// Adds properties to a new item: those at indices of `items.properties`, and new boxes.
    mutating func describe(_ item: Int, with shared: [Int], _ new: [(box: Data, isEssential: Bool)]) {
        let start = items.properties.count + properties.count + 1
        associations.append(
            (item, shared.map { ($0 + 1, false) } + new.enumerated().map { (start + $0, $1.isEssential) }))
        properties += new.map(\.box)
    }

    /// The bytes of an item's number in references.
    private var numberSize: Int {
        if let list = items.boxes.first("iref") { return chain.byte(at: list.content.lowerBound) != 0 ? 4 : 2 }
        return locations.contains { $0.item >= 0x8000 } ? 4 : 2
    }

    // MARK: Writing

    /// Returns the bytes of the new `file` in a range of the old one. A damaged box may declare more than there are.
    private func bytes(_ range: Range<Int>) -> Data { Data(file[range.clamped(to: 0..<file.count)]) }

    /// Returns the new meta box. Bytes of the file from the end of the old one on move by `moved`.
    private func metaBox(moved: Int) -> Data? {
        var content = bytes(meta.content.lowerBound..<meta.content.lowerBound + 4)
        for box in items.boxes {
            let new: Data? =
                switch box.type {
                case "iinf": itemList(box)
                case "iref": referenceList(box)
                case "iloc": locationList(moved: moved)
                case "iprp" where !associations.isEmpty: propertyList(box)
                default: bytes(box.whole)
                }
            guard let new else { return nil }
            content += new
        }
        if items.boxes.first("iref") == nil, !references.isEmpty {
            content += ISOBox.box("iref", ((numberSize == 4 ? 1 : 0) << 24).bigEndianBytes(4) + references)
        }
        return ISOBox.box("meta", content + further)
    }

    private func itemList(_ box: ISOBox) -> Data? {
        let size = chain.byte(at: box.content.lowerBound) == 0 ? 2 : 4
        let start = box.content.lowerBound + 4
        guard let count = chain.big(start, size) else { return nil }
        let all = items.entries
        let kept = all.filter { !removed.contains($0.item) }
        guard all.count == count, kept.count == count - removed.count, count + newCount < Self.most else { return nil }
        let head = bytes(box.content.lowerBound..<start) + (kept.count + newCount).bigEndianBytes(size)
        return ISOBox.box("iinf", head + kept.flatMap { bytes($0.box.whole) } + entries)
    }

    private func referenceList(_ box: ISOBox) -> Data {
        let kept = box.children(of: chain, after: 4).filter { child in
            chain.big(child.content.lowerBound, numberSize).map { !removed.contains($0) } ?? true
        }
        let head = bytes(box.content.lowerBound..<box.content.lowerBound + 4)
        return ISOBox.box("iref", head + kept.flatMap { bytes($0.whole) } + references)
    }

    private func propertyList(_ box: ISOBox) -> Data? {
        let inner = box.children(of: chain)
        guard let shared = inner.first("ipco"), inner.count == 2, let table = inner.first("ipma"),
            let head = chain.big(table.content.lowerBound, 4), head < 2,
            let count = chain.big(table.content.lowerBound + 4, 4)
        else { return nil }
        // The number of an item has two bytes, an index one or two, with a bit that says that it is essential.
        let (size, bit) = head == 1 ? (2, 0x8000) : (1, 0x80)
        guard items.properties.count + properties.count < bit, associations.allSatisfy({ $0.item < 1 << 16 }) else {
            return nil
        }
        let added = associations.flatMap { item, indices in
            item.bigEndianBytes(2) + [UInt8(clamping: indices.count)]
                + indices.flatMap { ($0.index | ($0.isEssential ? bit : 0)).bigEndianBytes(size) }
        }
        let old = bytes(table.content).dropFirst(8)
        return ISOBox.box(
            "iprp",
            ISOBox.box("ipco", bytes(shared.content) + properties.joined())
                + ISOBox.box(
                    "ipma", head.bigEndianBytes(4) + (count + associations.count).bigEndianBytes(4) + old + added))
    }

    /// Returns the new place of bytes of the old file, or of the tail.
    private func place(_ offset: Int, moved: Int) -> Int {
        offset.saturatingAdd(offset >= meta.content.upperBound ? moved : 4 * brands.count)
    }

    private func locationList(moved: Int) -> Data {
        let isLong = locations.contains { $0.item > 0xFFFF } || locations.count > 0xFFFF
        let isWide = chain.count + tail.count >= 1 << 31
        let size = isWide ? 8 : 4
        var content = Data(((isLong ? 2 : 1) << 24).bigEndianBytes(4) + [isWide ? 0x88 : 0x44, 0])
        content += locations.count.bigEndianBytes(isLong ? 4 : 2)
        for location in locations {
            content += location.item.bigEndianBytes(isLong ? 4 : 2) + location.method.bigEndianBytes(2)
            content += location.reference.bigEndianBytes(2) + location.extents.count.bigEndianBytes(2)
            let moves = location.method == 0 && location.reference == 0
            for extent in location.extents {
                content += (moves ? place(extent.offset, moved: moved) : extent.offset).bigEndianBytes(size)
                content += extent.length.bigEndianBytes(size)
            }
        }
        return ISOBox.box("iloc", content)
    }

    /// Returns the new file; `nil` if its boxes have a structure that cannot be changed.
    mutating func result() -> Data? {
        var head = bytes(0..<meta.whole.lowerBound)
        let all = ISOBox.boxes(in: 0..<chain.count, of: chain)
        if !brands.isEmpty {
            guard let first = all.first, first.type == "ftyp", first.content.lowerBound == 8 else { return nil }
            let rest = bytes(first.content.upperBound..<max(first.content.upperBound, meta.whole.lowerBound))
            head = ISOBox.box("ftyp", bytes(first.content) + brands.flatMap(\.bytes)) + rest
        }
        guard let draft = metaBox(moved: 0) else { return nil }
        let moved = 4 * brands.count + draft.count - meta.whole.count
        guard let box = metaBox(moved: moved), box.count == draft.count else { return nil }
        for top in all where top.type == "moov" {
            guard moveSamples(in: top, by: moved) else { return nil }
        }
        return head + box + file[meta.content.upperBound...] + tail
    }

    /// Moves the offsets of samples; returns false for a table that cannot be changed.
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
                    guard let offset = chain.big(place, size) else { continue }
                    let new = self.place(offset, moved: moved)
                    guard size == 8 || new < 1 << 32 else { return false }
                    file.replaceSubrange(place..<place + size, with: new.bigEndianBytes(size))
                }
            }
        }
        return true
    }
}
