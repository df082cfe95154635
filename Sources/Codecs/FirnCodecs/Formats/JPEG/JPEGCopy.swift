import FoundationEssentials

/// Copies a JPEG file without its metadata.
///
/// Kept are the tables, frames and scans, and of the application segments those that say how to show the pixels: JFIF
/// without its thumbnail, color profiles, and Adobe's segment, which names the color transform.
///
/// - Source: ISO/IEC 10918-1 §B.1.1; JFIF 1.02; ICC.1:2010 §B.4; EXIF 2.32 §4.7.2.
enum JPEGCopy {
    /// - Returns: nil if the file is damaged or cut short, or if the EXIF data do not fit into a segment.
    static func stripped(_ chain: ByteChain, exif: Data?) -> Data? {
        var walk = JPEGMarkerWalk()
        guard case .marker(JPEGMarker.startOfImage, _) = walk.next(in: chain) else { return nil }
        let exif = exif.map { Data("Exif\0\0".utf8) + $0 }
        if let exif, exif.count > 0xFFFF - 2 { return nil }
        var copy = Data(capacity: chain.count)
        copy.append(contentsOf: [0xFF, JPEGMarker.startOfImage])
        var isFirst = true
        while case .marker(let code, let content) = walk.next(in: chain) {
            // A JFIF segment, which precedes all others, is the first.
            if isFirst, code != JPEGCopy.jfif {
                if let exif { copy.append(JPEGMarker.segment(JPEGCopy.exif, exif)) }
                isFirst = false
            }
            if code == JPEGMarker.startOfImage { return nil }
            if JPEGMarker.standsAlone(code) {
                copy.append(contentsOf: [0xFF, code])
                if code == JPEGMarker.endOfImage { return copy }
                continue
            }
            if let kept = kept(content, of: code) { copy.append(JPEGMarker.segment(code, kept)) }
            guard code == JPEGMarker.startOfScan else { continue }
            let start = walk.position
            guard walk.passCodedData(in: chain), let data = chain.bytes(at: start, count: walk.position - start) else {
                return nil
            }
            copy.append(data)
        }
        return nil
    }

    private static let jfif: UInt8 = 0xE0
    private static let exif: UInt8 = 0xE1
    private static let profile: UInt8 = 0xE2
    private static let adobe: UInt8 = 0xEE

    /// The part of a segment that is kept; `nil` if it is left out.
    private static func kept(_ content: Data, of code: UInt8) -> Data? {
        switch code {
        case jfif:
            // Version, unit and densities; then the size of the thumbnail.
            guard content.starts(with: Array("JFIF\0".utf8)), content.count >= 12 else { return nil }
            return content.prefix(12) + Data([0, 0])
        case profile: return content.starts(with: Array("ICC_PROFILE\0".utf8)) ? content : nil
        case adobe: return content.starts(with: Array("Adobe".utf8)) ? content.prefix(12) : nil
        // Comments, and the codes of extensions that no decoder reads.
        case 0xF0...0xFE: return nil
        default: return JPEGMarker.isApplication(code) ? nil : content
        }
    }
}
