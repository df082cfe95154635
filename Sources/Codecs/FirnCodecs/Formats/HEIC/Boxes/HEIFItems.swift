import FirnSync

/// The image items of a HEIF or AVIF file, by the boxes in its `meta` box.
///
/// - Source: ISO/IEC 14496-12 §8.11; ISO/IEC 23008-12 §9.3.
struct HEIFItems {
    let chain: ByteChain
    let boxes: [ISOBox]
    /// The properties that items share.
    let properties: [ISOBox]

    init?(_ chain: ByteChain) {
        guard let meta = ISOBox.boxes(in: 0..<chain.count, of: chain).first("meta") else { return nil }
        self.chain = chain
        boxes = meta.children(of: chain, after: 4)
        properties = boxes.first("iprp")?.children(of: chain).first("ipco")?.children(of: chain) ?? []
    }

    /// The number of the primary item.
    var primary: Int? {
        guard var fields = boxes.first("pitm")?.fields(of: chain), let head = fields.versionAndFlags() else {
            return nil
        }
        return fields.number(head.version == 0 ? 2 : 4)
    }

    /// The entry of an item in the list of all.
    struct Entry {
        let item: Int
        let type: FourCharacterCode
        /// The media type; empty for items of other types than `mime`.
        let mime: String
        let box: ISOBox
    }

    /// The entries of all items that have a type.
    var entries: [Entry] {
        guard let list = boxes.first("iinf") else { return [] }
        // Version 0 counts the items with two bytes, others with four.
        let isShort = chain.byte(at: list.content.lowerBound) == 0
        return list.children(of: chain, after: isShort ? 6 : 8).compactMap { box in
            // Two bytes of protection follow the identifier.
            guard var fields = box.fields(of: chain), let head = fields.versionAndFlags(), head.version >= 2,
                let item = fields.number(head.version == 2 ? 2 : 4), fields.pass(2) != nil, let type = fields.code()
            else { return nil }
            let texts = (fields.take(fields.rest) ?? []).split(separator: 0, omittingEmptySubsequences: false)
            let mime = type == "mime" && texts.count > 1 ? String(decoding: texts[1], as: UTF8.self) : ""
            return Entry(item: item, type: type, mime: mime, box: box)
        }
    }

    /// Returns the first item of a type.
    func first(ofType type: FourCharacterCode) -> Int? { entries.first { $0.type == type }?.item }

    /// Returns the file with another primary item, which is neither hidden nor an auxiliary image.
    func file(withPrimary item: Int) -> ByteChain? {
        guard let place = boxes.first("pitm")?.content.lowerBound, let version = chain.byte(at: place) else {
            return nil
        }
        var file = chain
        file.replace(at: place + 4, with: item.bigEndianBytes(version == 0 ? 2 : 4))
        if let entry = entries.first(where: { $0.item == item }) {
            // The lowest flag hides the item.
            let flags = entry.box.content.lowerBound + 3
            if let byte = chain.byte(at: flags) { file.replace(at: flags, with: [byte & 0xFE]) }
        }
        for reference in references("auxl") where reference.from == item {
            file.replace(at: reference.box.typeOffset, with: FourCharacterCode("free").bytes)
        }
        return file.part(0..<file.count)
    }

    /// Calls `body` for the items with their properties' indices, from 1 on, until it returns false.
    ///
    /// - Returns: false if a list is damaged.
    private func forEachAssociation(_ body: (_ item: Int, _ indices: [Int]) -> Bool) -> Bool {
        let lists = boxes.first("iprp")?.children(of: chain).filter { $0.type == "ipma" } ?? []
        for list in lists {
            guard var fields = list.fields(of: chain), let head = fields.versionAndFlags(),
                let count = fields.number(4)
            else { return false }
            for _ in 0..<min(count, fields.rest) {
                guard let found = fields.number(head.version == 0 ? 2 : 4), let number = fields.number(1) else {
                    return false
                }
                let isWide = head.flags & 1 == 1
                let indices = (0..<number).compactMap { _ in
                    fields.number(isWide ? 2 : 1).map { $0 & (isWide ? 0x7FFF : 0x7F) }
                }
                guard indices.count == number else { return false }
                if !body(found, indices) { return true }
            }
        }
        return true
    }

    /// Returns the properties of an item, in order.
    func properties(of item: Int) -> [ISOBox]? {
        var all: [ISOBox]?
        let isSound = forEachAssociation { found, indices in
            guard found == item else { return true }
            let known = indices.filter { $0 > 0 && $0 <= properties.count }
            if known.count == indices.count { all = known.map { properties[$0 - 1] } }
            return false
        }
        return isSound ? all : nil
    }

    /// Returns the first item that has a property, by its index in ``properties``.
    func item(withProperty index: Int) -> Int? {
        var item: Int?
        _ = forEachAssociation { found, indices in
            if indices.contains(index + 1) { item = found }
            return item == nil
        }
        return item
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

    /// The place of an item's bytes.
    struct Location {
        let item: Int
        /// 0 for parts of the file, 1 for parts of the box `idat`, 2 for parts of other items.
        var method = 0
        /// The number of another file; 0 for this one.
        var reference = 0
        var hasIndices = false
        var extents: [(offset: Int, length: Int)] = []
    }

    /// Calls `body` for the places of all items, until it returns false.
    ///
    /// - Returns: false if the list is damaged or missing.
    func forEachLocation(_ body: (Location) -> Bool) -> Bool {
        guard var fields = boxes.first("iloc")?.fields(of: chain), let head = fields.versionAndFlags(),
            head.version < 3, let sizes = fields.number(2), let count = fields.number(head.version < 2 ? 2 : 4)
        else { return false }
        let (offsetBytes, lengthBytes) = (sizes >> 12 & 15, sizes >> 8 & 15)
        let (baseBytes, indexBytes) = (sizes >> 4 & 15, head.version == 0 ? 0 : sizes & 15)
        func number(_ bytes: Int) -> Int? { bytes == 0 ? 0 : bytes <= 8 ? fields.number(bytes) : nil }
        for _ in 0..<count {
            guard let item = fields.number(head.version < 2 ? 2 : 4),
                let method = head.version == 0 ? 0 : fields.number(2).map({ $0 & 15 }),
                let reference = fields.number(2), let base = number(baseBytes), let extents = fields.number(2),
                // Extents without any bytes are not read.
                extents < 2 || offsetBytes + lengthBytes + indexBytes > 0
            else { return false }
            var location = Location(item: item, method: method, reference: reference)
            for _ in 0..<extents {
                guard let index = number(indexBytes), let offset = number(offsetBytes), let length = number(lengthBytes)
                else { return false }
                location.hasIndices = location.hasIndices || index != 0
                location.extents.append((base.saturatingAdd(offset), length))
            }
            if !body(location) { return true }
        }
        return true
    }

    /// Returns the parts of the file with the bytes of an item; `nil` unless all lie in the file.
    func ranges(of location: Location) -> [Range<Int>]? {
        guard location.method < 2, location.reference == 0 else { return nil }
        let data = location.method == 1 ? boxes.first("idat")?.content.lowerBound : 0
        guard let data else { return nil }
        let ranges = location.extents.map { extent in
            let start = data.saturatingAdd(extent.offset)
            return start..<start.saturatingAdd(extent.length)
        }
        return ranges.allSatisfy { $0.upperBound <= chain.count } ? ranges : nil
    }

    /// Returns the part of the file with an item that lies in one piece.
    func location(of item: Int) -> Range<Int>? {
        var found: Location?
        _ = forEachLocation { location in
            if location.item == item { found = location }
            return found == nil
        }
        guard let ranges = found.flatMap({ ranges(of: $0) }), ranges.count == 1 else { return nil }
        return ranges.first
    }

    /// Returns the references of a type between items, up to a damaged one.
    func references(_ type: FourCharacterCode) -> [(from: Int, to: [Int], box: ISOBox)] {
        guard let list = boxes.first("iref") else { return [] }
        let size = chain.byte(at: list.content.lowerBound) == 0 ? 2 : 4
        var references: [(from: Int, to: [Int], box: ISOBox)] = []
        for box in list.children(of: chain, after: 4) where box.type == type {
            guard var fields = box.fields(of: chain), let from = fields.number(size), let count = fields.number(2),
                fields.rest >= count * size
            else { break }
            references.append((from, (0..<count).compactMap { _ in fields.number(size) }, box))
        }
        return references
    }

    /// Returns the items that `item` is made of, and the place of the box that lists them. `nil` if numbers of
    /// items have 32 bits.
    func parts(of item: Int) -> (items: [Int], box: Range<Int>)? {
        guard let list = boxes.first("iref"), chain.big(list.content.lowerBound, 4) == 0,
            let found = references("dimg").first(where: { $0.from == item }),
            chain.big(found.box.typeOffset - 4, 4) == found.box.whole.count,
            found.box.content.count == 4 + 2 * found.to.count, found.box.whole.count == found.box.content.count + 8
        else { return nil }
        return (found.to, found.box.whole)
    }
}
