import FirnData
import FoundationEssentials

// JPEG files.
extension MetadataFile {
    /// The most bytes in a segment, behind its length.
    private static let longestSegment = 65_533

    /// - Source: EXIF 2.32 §4.7.2; XMP specification part 3 §1.1.3; CIPA DC-007 §5.2.
    static func jpeg(_ chain: ByteChain, _ packets: MetadataPackets) throws(ImageError) -> Data {
        if packets.strips {
            guard let bare = strippedJPEG(chain) else { throw error(.data, "the file is damaged or cut short", .jpeg) }
            return try jpeg(ByteChain(whole: bare), MetadataPackets(exif: packets.exif))
        }
        var walk = JPEGMarkerWalk()
        let damaged = error(.data, "the segments of the file are damaged", .jpeg)
        guard case .marker(JPEGMarker.startOfImage, _) = walk.next(in: chain) else { throw damaged }
        let first = walk.position
        var (head, rest, resources) = (Data(), Data(), Data())
        var index: (old: Int, inRest: Int, content: Data)?
        var end = first
        while true {
            guard case .marker(let code, let content) = walk.next(in: chain),
                let segment = chain.bytes(at: end, count: walk.position - end)
            else { throw damaged }
            if code == JPEGMarker.startOfScan { break }
            let start = end
            end = walk.position
            let isApplication = code == JPEGMarker.exif
            let isExif = isApplication && content.starts(with: JPEGMarker.exifName)
            if isExif, packets.exif != nil { continue }
            if isApplication, packets.xmp != nil, content.starts(with: JPEGMarker.xmpName) { continue }
            if isApplication, packets.extendedXMP != nil, content.starts(with: JPEGMarker.extensionName) { continue }
            if code == JPEGMarker.photoshop, packets.iptc != nil, content.starts(with: JPEGMarker.photoshopName) {
                resources += content.dropFirst(JPEGMarker.photoshopName.count)
                continue
            }
            if rest.isEmpty, code == JPEGMarker.jfif || isExif {
                head += segment
                continue
            }
            if code == JPEGMarker.profile, content.starts(with: JPEGMarker.indexName) {
                let place = end - content.count + JPEGMarker.indexName.count
                index = (place, rest.count + place - start, content.dropFirst(JPEGMarker.indexName.count))
            }
            rest += segment
        }
        let added = try segments(packets, resources)
        guard let start = chain.bytes(at: 0, count: first), let coded = chain.bytes(at: end, count: chain.count - end)
        else { throw damaged }
        var file = start + head + added + rest + coded
        if let index {
            let place = first + head.count + added.count + index.inRest
            fixIndex(index.content, of: &file, from: index.old, to: place, grown: file.count - chain.count)
        }
        return file
    }

    private static func segments(_ packets: MetadataPackets, _ resources: Data) throws(ImageError) -> Data {
        var segments = Data()
        func add(_ code: UInt8, _ content: Data, _ name: String) throws(ImageError) {
            guard content.count <= longestSegment else {
                throw error(.limit, "\(name) of \(content.count) bytes do not fit into a JPEG file", .jpeg)
            }
            segments += JPEGMarker.segment(code, content)
        }
        if let exif = MetadataPackets.written(packets.exif) {
            try add(JPEGMarker.exif, JPEGMarker.exifName + exif, "EXIF data")
        }
        var (xmp, more) = (MetadataPackets.written(packets.xmp), MetadataPackets.written(packets.extendedXMP))
        if let whole = xmp, JPEGMarker.xmpName.count + whole.count > longestSegment, more == nil {
            (xmp, more) = (XMPEditor.empty, whole)
        }
        if let main = xmp {
            let digest = more.map { MD5.hexadecimal(of: [UInt8]($0)).uppercased() }
            let note = digest.map { "<xmpNote:HasExtendedXMP>\($0)</xmpNote:HasExtendedXMP>" } ?? ""
            let packet = note.isEmpty ? main : XMPEditor(main)?.edited(removing: ["xmpNote:*"], adding: note)
            guard let packet else { throw error(.data, "its XMP packet is damaged", .jpeg) }
            try add(JPEGMarker.exif, JPEGMarker.xmpName + packet, "XMP properties")
            if let more, let digest {
                let step = 65_000
                for offset in stride(from: 0, to: more.count, by: step) {
                    let numbers = more.count.bigEndianBytes(4) + offset.bigEndianBytes(4)
                    let content =
                        JPEGMarker.extensionName + Array(digest.utf8) + numbers + more.dropFirst(offset).prefix(step)
                    try add(JPEGMarker.exif, Data(content), "XMP properties")
                }
            }
        }
        if let iptc = packets.iptc {
            guard let all = IPTCRecords.resources(resources, with: MetadataPackets.written(iptc)) else {
                throw error(.data, "its Photoshop resources are damaged", .jpeg)
            }
            // The name is repeated in each part.
            let step = longestSegment - JPEGMarker.photoshopName.count
            for offset in stride(from: 0, to: all.count, by: step) {
                try add(
                    JPEGMarker.photoshop, JPEGMarker.photoshopName + all.dropFirst(offset).prefix(step), "IPTC records")
            }
        }
        return segments
    }

    /// Updates the index of further images (MPF), whose offsets count from its TIFF header.
    ///
    /// - Parameters:
    ///   - old: the place of that header in the old file.
    ///   - place: its place in the new one.
    ///   - grown: the bytes by which the first image grew, before its coded data.
    private static func fixIndex(_ content: Data, of file: inout Data, from old: Int, to place: Int, grown: Int) {
        guard var directories = EXIFDirectories(content),
            let entry = directories.entries(directories.first).first(where: { $0.tag == 0xB002 }),
            let count = directories.number(entry.offset + 4, 4), let list = directories.number(entry.offset + 8, 4)
        else { return }
        for image in (0..<min(count / 16, 100)).map({ list + 16 * $0 }) {
            guard let length = directories.number(image + 4, 4), let offset = directories.number(image + 8, 4) else {
                break
            }
            if offset > 0 {
                directories.put(old + offset + grown - place, at: image + 8, 4)
            } else if length > 0 {
                directories.put(length + grown, at: image + 4, 4)
            }
        }
        let start = file.startIndex + place
        file.replaceSubrange(start..<start + directories.bytes.count, with: directories.bytes)
    }

    /// Returns the tables, frames and scans, and the other segments that say how to show the pixels: JFIF without its
    /// thumbnail, color profiles, and Adobe's segment, which names the color transform. `nil` if the file is damaged or
    /// cut short.
    ///
    /// - Source: ISO/IEC 10918-1 §B.1.1; JFIF 1.02; ICC.1:2010 §B.4.
    private static func strippedJPEG(_ chain: ByteChain) -> Data? {
        var (walk, copy) = (JPEGMarkerWalk(), Data(capacity: chain.count))
        while case .marker(let code, let content) = walk.next(in: chain) {
            if (code == JPEGMarker.startOfImage) != copy.isEmpty { return nil }
            if JPEGMarker.standsAlone(code) {
                copy.append(contentsOf: [0xFF, code])
                if code == JPEGMarker.endOfImage { return copy }
            } else if let kept = kept(content, of: code) {
                copy.append(JPEGMarker.segment(code, kept))
            }
            guard code == JPEGMarker.startOfScan else { continue }
            let start = walk.position
            guard walk.passCodedData(in: chain), let data = chain.bytes(start..<walk.position) else { return nil }
            copy.append(data)
        }
        return nil
    }

    /// Returns the part of a segment that a stripped file has; `nil` for none.
    private static func kept(_ content: Data, of code: UInt8) -> Data? {
        switch code {
        case JPEGMarker.jfif:
            // Version, unit and densities; then the size of the thumbnail.
            content.starts(with: Array("JFIF\0".utf8)) && content.count >= 12 ? content.prefix(12) + [0, 0] : nil
        case JPEGMarker.profile: content.starts(with: Array("ICC_PROFILE\0".utf8)) ? content : nil
        case JPEGMarker.adobe: content.starts(with: Array("Adobe".utf8)) ? content.prefix(12) : nil
        // Comments and extensions.
        case 0xF0...0xFE: nil
        default: JPEGMarker.isApplication(code) ? nil : content
        }
    }
}
