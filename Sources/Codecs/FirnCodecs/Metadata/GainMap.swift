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

    static func isStated(in packet: Data) -> Bool {
        let bytes = XMPTexts.examined(packet)
        return names.contains { bytes.firstPlace(of: $0) != nil }
    }

    /// Returns whether an APP2 segment of a JPEG belongs to a gain map.
    static func isSegment(_ content: Data) -> Bool { content.starts(with: segment) }

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
