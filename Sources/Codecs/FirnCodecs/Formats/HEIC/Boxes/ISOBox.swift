import FoundationEssentials

/// The type and place of a box in an ISO base media file.
///
/// Invariant: `content` lies inside the range that was searched, whatever length the box declares.
/// - Source: ISO/IEC 14496-12 §4.2.
struct ISOBox {
    let type: FourCharacterCode
    /// The range of the content, after the box's header.
    let content: Range<Int>

    /// The offset of the type's four bytes.
    let typeOffset: Int

    /// The limit of boxes per range.
    private static let most = 4096
    /// The limit of bytes of a box that is read as a whole: a table of 65,536 samples has 512 KiB.
    private static let longest = 16 << 20

    /// Returns the boxes in a range of the file, in order; stops at the first one without a valid length.
    static func boxes(in range: Range<Int>, of chain: ByteChain) -> [ISOBox] {
        var boxes: [ISOBox] = []
        var offset = range.lowerBound
        let end = min(range.upperBound, chain.count)
        while boxes.count < most, offset < end, end - offset >= 8 {
            guard let length = chain.big(offset, 4), let type = chain.code(at: offset + 4) else { break }
            var header = 8
            var size = length
            if length == 1 {
                guard end - offset >= 16, let long = chain.big(offset + 8, 8) else { break }
                header = 16
                size = long
            } else if length == 0 {
                size = end - offset
            }
            guard size >= header else { break }
            // A truncated box extends to the last byte.
            let next = offset + min(size, end - offset)
            boxes.append(
                ISOBox(type: type, content: offset + header..<max(offset + header, next), typeOffset: offset + 4))
            offset = next
        }
        return boxes
    }

    /// Returns the boxes inside this one, after `skipped` bytes of fields.
    func children(of chain: ByteChain, after skipped: Int = 0) -> [ISOBox] {
        guard content.count >= skipped else { return [] }
        return ISOBox.boxes(in: content.lowerBound + skipped..<content.upperBound, of: chain)
    }

    /// Returns the box's fields; `nil` if some bytes have not arrived, or the box is too long.
    func fields(of chain: ByteChain) -> ISOFields? {
        guard content.count <= ISOBox.longest else { return nil }
        return chain.bytes(at: content.lowerBound, count: content.count).map { ISOFields([UInt8]($0), chain.watch) }
    }
}

extension [ISOBox] {
    /// Returns the first box of a type.
    func first(_ type: FourCharacterCode) -> ISOBox? { first { $0.type == type } }

    /// Returns the fields of the first full box of a type, behind the version and the flags.
    func table(_ type: FourCharacterCode, of chain: ByteChain) -> ISOFields? {
        guard var fields = first(type)?.fields(of: chain), fields.versionAndFlags() != nil else { return nil }
        return fields
    }

    /// Returns the units per second that the header of a movie or of a track's media states; `nil` if they are 0.
    func timescale(_ type: FourCharacterCode, of chain: ByteChain) -> Int? {
        guard var fields = first(type)?.fields(of: chain), let head = fields.versionAndFlags() else { return nil }
        fields.skip(head.version == 1 ? 16 : 8)
        return fields.number(4).flatMap { $0 > 0 ? $0 : nil }
    }
}
