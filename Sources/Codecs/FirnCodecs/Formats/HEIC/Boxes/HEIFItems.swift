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

    /// The items with their types, and the offset of the entry's lowest flags.
    var entries: [(item: Int, type: FourCharacterCode, flags: Int)] {
        guard let list = boxes.first("iinf") else { return [] }
        // Version 0 counts the items with two bytes, others with four.
        let isShort = chain.byte(at: list.content.lowerBound) == 0
        return list.children(of: chain, after: isShort ? 6 : 8).compactMap { box in
            // The identifier has two bytes in version 2, and four in version 3; two of protection follow.
            let (start, isLong) = (box.content.lowerBound + 4, chain.byte(at: box.content.lowerBound) == 3)
            let place = start + (isLong ? 6 : 4)
            guard place + 4 <= box.content.upperBound, let type = chain.code(at: place),
                let item = chain.big(start, isLong ? 4 : 2)
            else { return nil }
            return (item, type, start - 1)
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
        if let flags = entries.first(where: { $0.item == item })?.flags, let byte = chain.byte(at: flags) {
            file.replace(at: flags, with: [byte & 0xFE])
        }
        if let references = boxes.first("iref") {
            let bytes = chain.byte(at: references.content.lowerBound) == 0 ? 2 : 4
            for box in references.children(of: chain, after: 4)
            where box.type == "auxl" && chain.big(box.content.lowerBound, bytes) == item {
                file.replace(at: box.typeOffset, with: FourCharacterCode("free").bytes)
            }
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
    func parts(of item: Int) -> (items: [Int], box: Range<Int>)? {
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
