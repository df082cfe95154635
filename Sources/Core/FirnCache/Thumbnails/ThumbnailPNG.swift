import FirnData
import FirnImage
import FoundationEssentials

/// The chunks of a PNG that tell whose thumbnail it is. Pixels are not decoded.
///
/// - Source: PNG (Third Edition), section 5 (chunks), 11.2.1 (`IHDR`), 11.3.3 (`tEXt`, `zTXt`), Annex D (CRC).
enum ThumbnailPNG {
    /// Stands for a text that is compressed.
    static let compressed = "\u{0}"
    private static let signature: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
    /// The bytes of a chunk beside its content: length, type, checksum.
    private static let frame = 12
    /// The most chunks that are looked at, and the most bytes of a text.
    private static let (maximumChunks, maximumText) = (1024, 16_384)

    /// Returns the size that the header states; `nil` for other bytes than a PNG's.
    static func size(of data: Data) -> PixelSize? {
        guard let header = chunks(of: data)?.first, header.type == "IHDR", header.content.count == 13 else {
            return nil
        }
        let sides = [0, 4].map { Int(number(data, header.content.lowerBound + $0)) }
        return sides.allSatisfy { $0 > 0 } ? PixelSize(width: sides[0], height: sides[1]) : nil
    }

    /// Returns the texts that are not compressed, by keyword, and ``compressed`` for the others; `nil` for other bytes
    /// than a whole PNG's.
    static func texts(of data: Data) -> [String: String]? {
        guard let chunks = chunks(of: data), chunks.first?.type == "IHDR", chunks.last?.type == "IEND" else {
            return nil
        }
        var texts: [String: String] = [:]
        for chunk in chunks where chunk.type == "tEXt" || chunk.type == "zTXt" {
            let content = data[chunk.content]
            guard content.count <= maximumText, let end = content.firstIndex(of: 0) else { continue }
            let value = chunk.type == "zTXt" ? compressed : String(decoding: content[(end + 1)...], as: UTF8.self)
            texts[String(decoding: content[..<end], as: UTF8.self)] = value
        }
        return texts
    }

    /// Returns a PNG with the texts of a thumbnail behind its header. Bytes that are no PNG stay as they are.
    static func naming(_ entry: ThumbnailEntry, _ status: FileStatus, in image: Data) -> Data {
        guard let header = chunks(of: image)?.first, header.type == "IHDR" else { return image }
        let end = header.content.upperBound + 4
        var named = Data(image[..<end])
        let texts = [
            ("Thumb::URI", entry.address), ("Thumb::MTime", entry.modified(status)),
            ("Thumb::Size", "\(status.size)"), ("Software", "Firn \(FirnVersion.current)"),
        ]
        for (keyword, text) in texts { named.append(chunk("tEXt", Array("\(keyword)\u{0}\(text)".utf8))) }
        named.append(image[end...])
        return named
    }

    /// A PNG of one transparent pixel, for records of failures. The stored deflate block has a filter byte, one gray
    /// and one alpha sample.
    static let onePixel: Data = {
        var data = Data(signature)
        data.append(chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 4, 0, 0, 0]))
        data.append(chunk("IDAT", [0x78, 1, 1, 3, 0, 0xFC, 0xFF, 0, 0, 0, 0, 3, 0, 1]))
        data.append(chunk("IEND", []))
        return data
    }()

    // MARK: Chunks

    /// Returns the chunks up to `IEND` by type and content; `nil` if they are not whole, or too many.
    private static func chunks(of data: Data) -> [(type: String, content: Range<Int>)]? {
        guard data.starts(with: signature) else { return nil }
        var chunks: [(type: String, content: Range<Int>)] = []
        var place = data.startIndex + signature.count
        while chunks.count < maximumChunks, data.endIndex - place >= frame {
            let length = Int(number(data, place))
            guard length <= data.endIndex - place - frame else { return nil }
            let type = String(decoding: data[place + 4..<place + 8], as: UTF8.self)
            chunks.append((type, place + 8..<place + 8 + length))
            if type == "IEND" { return chunks }
            place += length + frame
        }
        return nil
    }

    private static func number(_ data: Data, _ index: Int) -> UInt32 {
        data[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> Data {
        let body = Array(type.utf8) + content
        func bytes(_ number: UInt32) -> [UInt8] {
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }
        return Data(bytes(UInt32(truncatingIfNeeded: content.count)) + body + bytes(checksum(body)))
    }

    /// Returns the CRC-32 of a chunk, bit by bit: the texts of a thumbnail have a few hundred bytes.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}
