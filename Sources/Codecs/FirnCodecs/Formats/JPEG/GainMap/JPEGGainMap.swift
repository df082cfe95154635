import FoundationEssentials

/// The gain map of a JPEG file: a JPEG file of its own, behind the first image.
///
/// - Source: ISO 21496-1:2025 annex C.3; Ultra HDR Image Format 1.1; CIPA DC-007 (MPF) §5.2.
struct JPEGGainMap {
    /// The range of the map in the file, to its end marker or to the end of a truncated file.
    let range: Range<Int>
    /// The numbers; `nil` for a map of Apple.
    let metadata: GainMap.Metadata?

    private static let maximumImages = 16

    /// Finds the map in a whole file; `nil` if there is none with valid metadata.
    init?(_ chain: ByteChain) {
        for start in JPEGGainMap.starts(chain) {
            var walk = JPEGMarkerWalk(position: start)
            guard case .marker(JPEGMarker.startOfImage, _) = walk.next(in: chain) else { continue }
            var (iso, xmp, isApple): (GainMap.Metadata?, GainMap.Metadata?, Bool) = (nil, nil, false)
            walk.forEachSegment(in: chain) { code, content, _ in
                let (name, packet) = (GainMap.Metadata.segmentName, JPEGMarker.xmpName)
                if code == JPEGMarker.profile, content.starts(with: name) {
                    iso = iso ?? GainMap.Metadata(iso: content.dropFirst(name.count))
                } else if code == JPEGMarker.exif, content.starts(with: packet) {
                    xmp = xmp ?? GainMap.Metadata(xmp: content.dropFirst(packet.count))
                    isApple = isApple || GainMap.stated(in: content.dropFirst(packet.count))?.kind == "apple"
                }
            }
            let found = iso ?? xmp
            guard found != nil || isApple else { continue }
            metadata = found
            range = start..<JPEGGainMap.end(walk, chain)
            return
        }
        return nil
    }

    /// Returns the offsets where a map may start, by the index of the images and by the lengths in the XMP packet.
    private static func starts(_ chain: ByteChain) -> [Int] {
        var (head, images, packet) = (JPEGMarkerWalk(), MPFIndex?.none, Data?.none)
        let name = JPEGMarker.xmpName
        head.forEachSegment(in: chain) { code, content, place in
            if code == JPEGMarker.profile { images = images ?? MPFIndex(content, at: place) }
            if code == JPEGMarker.exif, content.starts(with: name) { packet = packet ?? content.dropFirst(name.count) }
        }
        let items = packet.flatMap { XMPPacket($0).properties["Container:Directory"] }?.items ?? []
        let lengths = items.prefix(maximumImages).compactMap { item in
            (item["Container:Item"] ?? item)["Item:Length"]?.texts.first.flatMap { Int($0) }
        }
        // The images follow each other up to the end of the file.
        var (start, others) = (chain.count, [Int]())
        for length in lengths.reversed() where (1..<max(1, start)).contains(length) {
            start -= length
            others.append(start)
        }
        return (images?.offsets ?? []) + others.reversed()
    }

    /// Returns the offset behind the end marker.
    private static func end(_ walk: JPEGMarkerWalk, _ chain: ByteChain) -> Int {
        var walk = walk
        while walk.passCodedData(in: chain), case .marker(let code, _) = walk.next(in: chain) {
            if code == JPEGMarker.endOfImage { return walk.position }
        }
        return chain.count
    }

    // MARK: Writing

    /// Returns a file of an image and its gain map.
    ///
    /// - Parameters:
    ///   - base: the file of the image, without an XMP packet.
    ///   - map: the file of the map, without an XMP packet.
    ///   - packet: properties for the XMP packet of the base; left out if they are damaged or do not fit.
    /// - Returns: `nil` if one of them does not start like a JPEG.
    static func file(
        _ base: Data, map: Data, _ metadata: GainMap.Metadata, joining packet: Data? = nil
    ) -> Data? {
        let named = JPEGMarker.segment(JPEGMarker.profile, GainMap.Metadata.segmentName + metadata.iso)
        guard let place = end(ofHead: base), let placeInMap = end(ofHead: map) else { return nil }
        var second = map
        second.insert(contentsOf: xmp(metadata.xmp) + named, at: second.startIndex + placeInMap)
        let stated = Data(GainMap.Metadata.basePacket(mapLength: second.count).utf8)
        let joined = packet.flatMap { XMPEditor.joined($0, stated) }
        let first =
            JPEGMarker.segment(
                JPEGMarker.exif, JPEGMarker.xmpName + (joined.flatMap { $0.count < 65_000 ? $0 : nil } ?? stated))
            + JPEGMarker.segment(JPEGMarker.profile, GainMap.Metadata.segmentName + GainMap.Metadata.versions)
        // The offset of the second image counts from the index's TIFF header.
        let indexLength = index(0, 0, at: 0).count
        let firstLength = base.count + first.count + indexLength
        let header = place + first.count + markerLength + JPEGMarker.indexName.count
        var file = base
        file.insert(
            contentsOf: first + index(firstLength, second.count, at: firstLength - header),
            at: file.startIndex + place)
        return file + second
    }

    /// The bytes of a marker and of its segment's length.
    private static let markerLength = 4

    /// Returns the offset behind the segments that come first in a file: JFIF and EXIF data.
    private static func end(ofHead file: Data) -> Int? {
        let chain = ByteChain(whole: file)
        var walk = JPEGMarkerWalk()
        guard case .marker(JPEGMarker.startOfImage, _) = walk.next(in: chain) else { return nil }
        var end = walk.position
        while case .marker(let code, _) = walk.next(in: chain), code == JPEGMarker.jfif || code == JPEGMarker.exif {
            end = walk.position
        }
        return end
    }

    private static func xmp(_ packet: String) -> Data {
        JPEGMarker.segment(JPEGMarker.exif, JPEGMarker.xmpName + Array(packet.utf8))
    }

    /// Returns the segment with the index of two images (MPF).
    private static func index(_ first: Int, _ second: Int, at offset: Int) -> Data {
        // Attributes, length, offset, and two numbers of dependent images. The first is the representative image.
        let images =
            [0x0003_0000, first, 0, 0].flatMap { $0.bigEndianBytes(4) }
            + [0, second, offset, 0].flatMap { $0.bigEndianBytes(4) }
        let fields = [
            EXIFField(tag: 0xB000, type: 7, count: 4, bytes: Array("0100".utf8)),
            EXIFField(tag: 0xB001, type: 4, count: 1, bytes: 2.bigEndianBytes(4)),
            EXIFField(tag: 0xB002, type: 7, count: images.count, bytes: images),
        ]
        return JPEGMarker.segment(
            JPEGMarker.profile, JPEGMarker.indexName + (EXIFField.data(fields, isBig: true) ?? Data()))
    }
}
