import FirnImage
import FoundationEssentials

/// Finds out whether a file has a gain map, which is not decoded.
///
/// - Source: Ultra HDR Image Format 1.1 (XMP); ISO/TS 21496-1 annex C (JPEG, HEIF); ISO/IEC 18181-2 (JPEG XL, `jhgm`);
///   Apple's "Applying Apple HDR effect to your photos" for its auxiliary images.
enum GainMap {
    /// The names of a gain map's properties in XMP packets: of Ultra HDR, of its list of images, and of Apple.
    private static let names = ["hdrgm:Version", "\"GainMap\"", "HDRGainMap"]
    private static let segment = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
    /// The ends of the types of auxiliary images in HEIF.
    private static let auxiliaries = ["aux:hdrgainmap", "iso:ts:21496:-1"]
    private static let maximumMarkers = 100

    static func isStated(in packet: Data) -> Bool {
        let bytes = XMPTexts.examined(packet)
        return names.contains { bytes.firstPlace(of: $0) != nil }
    }

    /// Returns whether an APP2 segment of a JPEG belongs to a gain map.
    static func isSegment(_ content: Data) -> Bool { content.starts(with: segment) }

    /// Returns whether one of the further images of a JPEG is a gain map.
    static func isIn(_ images: MPFIndex, of chain: ByteChain) -> Bool {
        let name = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
        return images.offsets.contains { offset in
            var walk = JPEGMarkerWalk()
            walk.position = offset
            for _ in 0..<maximumMarkers {
                guard case .marker(let code, let content) = walk.next(in: chain), code != JPEGMarker.startOfScan else {
                    break
                }
                if code == 0xE2, isSegment(content) { return true }
                if code == 0xE1, content.starts(with: name), isStated(in: content.dropFirst(name.count)) { return true }
            }
            return false
        }
    }

    /// Returns whether an AVIF, HEIF or JPEG XL file has a gain map in the boxes that have arrived.
    static func isIn(boxesOf chain: ByteChain) -> Bool {
        let file = ISOBox.boxes(in: 0..<chain.count, of: chain)
        if file.first("jhgm") != nil { return true }
        guard let meta = file.first("meta")?.children(of: chain, after: 4) else { return false }
        if let items = meta.first("iinf") {
            // Version 0 counts the items with two bytes, others with four.
            let isShort = chain.byte(at: items.content.lowerBound) == 0
            let isMap = items.children(of: chain, after: isShort ? 6 : 8).contains { item in
                // The identifier has two bytes in version 2, and four in version 3; two of protection follow.
                let type = item.content.lowerBound + (chain.byte(at: item.content.lowerBound) == 3 ? 10 : 8)
                return type + 4 <= item.content.upperBound && chain.code(at: type) == "tmap"
            }
            if isMap { return true }
        }
        let properties = meta.first("iprp")?.children(of: chain).first("ipco")?.children(of: chain) ?? []
        return properties.contains { property in
            guard property.type == "auxC", property.content.count < 256,
                let bytes = chain.bytes(at: property.content.lowerBound, count: property.content.count)
            else { return false }
            let name = Array(bytes)[...]
            return auxiliaries.contains { name.firstPlace(of: $0) != nil }
        }
    }
}

/// The places of the images behind the first one in a JPEG file of several.
///
/// - Source: CIPA DC-007 (MPF) §5.2.
struct MPFIndex {
    /// The offsets in the file.
    let offsets: [Int]

    private static let maximumImages = 16

    /// Reads an APP2 segment, whose content is at `start` of the file; `nil` for any other.
    init?(_ content: Data, at start: Int) {
        let name = Array("MPF\0".utf8)
        guard content.starts(with: name), let directories = EXIFDirectories(content.dropFirst(name.count)),
            let entry = directories.entries(directories.first).first(where: { $0.tag == 0xB002 }),
            let count = directories.number(entry.offset + 4, 4), let list = directories.number(entry.offset + 8, 4)
        else { return nil }
        // An entry: attributes, length, and the offset from the TIFF header, which is 0 for the first image.
        offsets = (0..<min(count / 16, MPFIndex.maximumImages)).compactMap { index in
            directories.number(list + 16 * index + 8, 4).flatMap { $0 > 0 ? start + name.count + $0 : nil }
        }
    }
}
