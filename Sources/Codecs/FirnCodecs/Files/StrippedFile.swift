package import FoundationEssentials

/// Copies image files without their metadata. The coded pixels and all that is needed to show them stay byte for byte.
///
/// Removed are EXIF data, XMP, IPTC, texts, comments, thumbnails, the time of the last change, private and unknown
/// parts, and bytes after the image. Color profiles and the gain map of a JPEG stay, because the colors would change
/// without them.
package enum StrippedFile {
    /// Returns a copy of a file with `exif` as its only metadata.
    ///
    /// - Parameter exif: a TIFF file, with or without `Exif\0\0` before it; `nil` for none.
    /// - Returns: nil if the format cannot be copied, or if the file is damaged or cut short.
    package static func copy(_ file: Data, format: ImageFormat, exif: Data?) -> Data? {
        let chain = ByteChain(whole: file)
        let header = Array("Exif\0\0".utf8)
        let exif = exif.map { $0.starts(with: header) ? $0.dropFirst(header.count) : $0 }
        return switch format {
        case .jpeg: JPEGCopy.strippedWithMap(chain, exif: exif)
        case .png, .apng: PNGCopy.stripped(chain, exif: exif)
        case .webp: WebPCopy.stripped(chain, exif: exif)
        default: nil
        }
    }

    /// Returns EXIF data that hold only an orientation; `nil` for an upright image, which needs none.
    ///
    /// - Source: EXIF 2.32 §4.6.4 A (0x0112).
    package static func exif(_ orientation: ImageOrientation) -> Data? {
        if orientation == .up { return nil }
        let entry: [UInt8] = [0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(clamping: orientation.rawValue), 0, 0, 0]
        return Data(Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0] + entry + [0, 0, 0, 0])
    }
}

/// Copies a JPEG file without its metadata.
///
/// Kept are the tables, frames and scans, and of the application segments those that say how to show the pixels: JFIF
/// without its thumbnail, color profiles, and Adobe's segment, which names the color transform.
///
/// - Source: ISO/IEC 10918-1 §B.1.1; JFIF 1.02; ICC.1:2010 §B.4; EXIF 2.32 §4.7.2.
enum JPEGCopy {
    /// Does the same as ``stripped(_:exif:)``, and keeps the gain map with its numbers as its only metadata.
    static func strippedWithMap(_ chain: ByteChain, exif: Data?) -> Data? {
        guard let base = stripped(chain, exif: exif), let found = JPEGGainMap(chain),
            let numbers = found.metadata, let map = stripped(chain.part(found.range), exif: nil)
        else { return stripped(chain, exif: exif) }
        return JPEGGainMap.file(base, map: map, numbers) ?? base
    }

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
        // Comments and extensions.
        case 0xF0...0xFE: return nil
        default: return JPEGMarker.isApplication(code) ? nil : content
        }
    }
}

/// Copies a PNG file, also an animated one, without its metadata.
///
/// Kept are the chunks that a decoder needs, and those that say how the pixels look: colors, transparency, resolution.
///
/// - Source: PNG (third edition) §5.3, §11.2 and §11.3.
enum PNGCopy {
    private static let kept: Set<FourCharacterCode> = [
        "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD", "hIST", "pHYs", "sPLT", "acTL",
        "fcTL", "fdAT",
    ]

    /// - Returns: nil if the file is damaged or cut short.
    static func stripped(_ chain: ByteChain, exif: Data?) -> Data? {
        guard let signature = chain.bytes(at: 0, count: 8) else { return nil }
        var copy = Data(capacity: chain.count)
        copy.append(signature)
        var offset = 8
        var exif = exif
        while let length = chain.big(offset, 4), length < 1 << 31, let type = chain.code(at: offset + 4),
            let chunk = chain.bytes(at: offset, count: length + 12)
        {
            if type == "IDAT", let data = exif.take() { copy.append(ChunkSum.chunk("eXIf", data)) }
            // Bit 5 of the first letter marks a chunk that is not needed to show the file.
            if kept.contains(type) || type.rawValue & 0x2000_0000 == 0 { copy.append(chunk) }
            if type == "IEND" { return copy }
            offset += length + 12
        }
        return nil
    }
}

/// Copies a WebP file, also an animated one, without its metadata.
///
/// - Source: RFC 9649 §2.
enum WebPCopy {
    private static let kept: Set<FourCharacterCode> = ["VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L"]
    /// The flags of a VP8X chunk for EXIF data and XMP.
    private static let exifFlag: UInt8 = 0x08
    private static let xmpFlag: UInt8 = 0x04

    /// - Returns: nil if the file is damaged or cut short, or cannot hold EXIF data.
    static func stripped(_ chain: ByteChain, exif: Data?) -> Data? {
        guard chain.code(at: 0) == "RIFF", chain.code(at: 8) == "WEBP", let length = chain.little(4, 4),
            length + 8 <= chain.count
        else { return nil }
        var body = Data(capacity: length)
        body.append(contentsOf: Array("WEBP".utf8))
        var offset = 12
        var mayHoldEXIF = false
        while offset + 8 <= length + 8 {
            guard let type = chain.code(at: offset), let count = chain.little(offset + 4, 4),
                offset + 8 + count <= length + 8, var chunk = chain.bytes(at: offset, count: 8 + count)
            else { return nil }
            if type == "VP8X" {
                guard count >= 10 else { return nil }
                mayHoldEXIF = true
                let flags = chunk.startIndex + 8
                chunk[flags] &= ~(exifFlag | xmpFlag)
                if exif != nil { chunk[flags] |= exifFlag }
            }
            if kept.contains(type) { append(chunk, to: &body) }
            offset += 8 + count + count & 1
        }
        if let exif {
            guard mayHoldEXIF else { return nil }
            append(Data("EXIF".utf8) + exif.count.littleEndianBytes(4) + exif, to: &body)
        }
        return Data("RIFF".utf8) + body.count.littleEndianBytes(4) + body
    }

    /// Appends a chunk, padded to an even length.
    private static func append(_ chunk: Data, to body: inout Data) {
        body.append(chunk)
        if chunk.count % 2 == 1 { body.append(0) }
    }
}
