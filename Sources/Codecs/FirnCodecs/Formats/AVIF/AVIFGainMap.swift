import FoundationEssentials

/// Joins the files of an image and of its gain map to one.
///
/// The map becomes a hidden item, and a further item (`tmap`) derives the other rendition from both. Readers that do
/// not know the type show the image alone. libavif itself writes gain maps from version 1.2 on, which is not needed.
///
/// - Source: ISO 21496-1:2025 annex C.4; ISO/IEC 23008-12 §6.6.2 (derived images), §9.3 (ipma); ISO/IEC 14496-12
///   §8.11.
enum AVIFGainMap {
    /// Returns the file; `nil` if one of the two has a structure that cannot be changed.
    static func file(_ base: Data, map: Data, _ metadata: GainMap.Metadata) -> Data? {
        let second = ByteChain(whole: map)
        guard var editor = HEIFEditor(base), let other = HEIFItems(second), let primary = editor.items.primary,
            let mapItem = other.primary, let properties = editor.items.properties(of: primary),
            let ofMap = other.properties(of: mapItem), let size = properties.first("ispe"),
            let place = editor.items.properties.firstIndex(where: { $0.content == size.content }),
            let coded = other.location(of: mapItem), let codedBytes = second.bytes(coded),
            editor.items.boxes.first("grpl") == nil, let number = editor.add("av01", codedBytes, isHidden: true),
            let tone = editor.add("tmap", Data([0] + metadata.iso)),
            editor.refer("dimg", from: tone, to: [primary, number])
        else { return nil }
        // The colors of the rendition: the primaries of the image with the curve of PQ, because it exceeds white.
        var colors: [UInt8] = FourCharacterCode("nclx").bytes + [0, 2, 0, 16, 0, 0, 0x80]
        let chain = editor.items.chain
        let stated = properties.first { $0.type == "colr" && chain.code(at: $0.content.lowerBound) == "nclx" }
        if let stated = stated.flatMap({ chain.bytes($0.content) }), stated.count == colors.count {
            colors = stated.prefix(6) + [0, 16] + stated.dropFirst(8)
        }
        // The configuration of the codec is essential.
        let own = ofMap.compactMap { box in
            second.bytes(box.content).map { (ISOBox.box(box.type, $0), box.type == "av1C") }
        }
        guard own.count == ofMap.count else { return nil }
        editor.describe(number, with: [], own)
        editor.describe(tone, with: [place], [(ISOBox.box("colr", colors), false)])
        // The renditions are alternatives; the number of their group is behind those of the items.
        let numbers = [0, tone + 1, 2, tone, primary].flatMap { $0.bigEndianBytes(4) }
        editor.further = ISOBox.box("grpl", ISOBox.box("altr", numbers))
        editor.brands = ["tmap"]
        return editor.result()
    }
}
