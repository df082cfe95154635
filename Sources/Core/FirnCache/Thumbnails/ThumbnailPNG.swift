import CFirnZlib
import FirnImage
import FoundationEssentials

/// The PNG chunks that identify a thumbnail's file. Pixels are not decoded.
///
/// - Source: PNG (Third Edition), section 5 (chunks), 11.2.1 (`IHDR`), 11.3.3 (`tEXt`, `zTXt`), Annex D (CRC).
enum ThumbnailPNG {
    /// Represents a compressed text.
    static let compressed = "\u{0}"
    /// The keyword for the time of the last status change of the file, in nanoseconds since 1970. Only Firn writes it.
    static let changed = "Firn::Changed"
    private static let signature: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
    /// The number of bytes of a chunk besides its content: length, type, checksum.
    private static let frame = 12
    /// The maximum number of chunks to read, and the maximum length of a text.
    private static let (maximumChunks, maximumText) = (1024, 16_384)

    /// Returns the size and the texts by keyword, with ``compressed`` in place of compressed ones; `nil` unless the
    /// data is a complete PNG.
    static func content(of data: Data) -> (size: PixelSize, texts: [String: String])? {
        guard let chunks = chunks(of: data), let header = chunks.first, header.type == "IHDR",
            header.content.count == 13, chunks.contains(where: { $0.type == "IDAT" && !$0.content.isEmpty })
        else { return nil }
        let sides = [0, 4].map { Int(number(data, header.content.lowerBound + $0)) }
        guard sides.allSatisfy({ $0 > 0 }) else { return nil }
        var texts: [String: String] = [:]
        for chunk in chunks where chunk.type == "tEXt" || chunk.type == "zTXt" {
            let content = data[chunk.content]
            guard content.count <= maximumText, let end = content.firstIndex(of: 0) else { continue }
            let value = chunk.type == "zTXt" ? compressed : String(decoding: content[(end + 1)...], as: UTF8.self)
            texts[String(decoding: content[..<end], as: UTF8.self)] = value
        }
        return (PixelSize(width: sides[0], height: sides[1]), texts)
    }

    /// Returns whether the compressed pixels are complete, according to their checksum.
    static func hasWholePixels(_ data: Data) -> Bool {
        var pixels: [UInt8] = []
        for chunk in chunks(of: data) ?? [] where chunk.type == "IDAT" { pixels += data[chunk.content] }
        var stream = z_stream()
        guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return false }
        defer { inflateEnd(&stream) }
        return pixels.withUnsafeMutableBufferPointer { input in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 16) { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(clamping: input.count)
                var code = Z_OK
                while code == Z_OK {
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(clamping: output.count)
                    code = inflate(&stream, Z_NO_FLUSH)
                }
                return code == Z_STREAM_END
            }
        }
    }

    /// Returns a PNG with the texts of a thumbnail after its header. Data that is not a PNG is unchanged.
    static func naming(_ entry: ThumbnailEntry, _ status: FileStatus, in image: Data) -> Data {
        guard let header = chunks(of: image)?.first, header.type == "IHDR" else { return image }
        let end = header.content.upperBound + 4
        var named = Data(image[..<end])
        let texts = [
            ("Thumb::URI", entry.address), ("Thumb::MTime", entry.modified(status)),
            ("Thumb::Size", "\(status.size)"), (changed, "\(status.changed)"),
            ("Software", "Firn \(FirnVersion.current)"),
        ]
        for (keyword, text) in texts { named.append(chunk("tEXt", Array("\(keyword)\u{0}\(text)".utf8))) }
        named.append(image[end...])
        return named
    }

    /// A PNG of one transparent pixel, for records of failures. The stored deflate block has a filter byte, one gray
    /// sample and one alpha sample.
    static let onePixel: Data = {
        var data = Data(signature)
        data.append(chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 4, 0, 0, 0]))
        data.append(chunk("IDAT", [0x78, 1, 1, 3, 0, 0xFC, 0xFF, 0, 0, 0, 0, 3, 0, 1]))
        data.append(chunk("IEND", []))
        return data
    }()

    // MARK: Chunks

    /// Returns the chunks up to `IEND` by type and content; `nil` if they are damaged or too many.
    private static func chunks(of data: Data) -> [(type: String, content: Range<Int>)]? {
        guard data.starts(with: signature) else { return nil }
        var chunks: [(type: String, content: Range<Int>)] = []
        var place = data.startIndex + signature.count
        while chunks.count < maximumChunks, data.endIndex - place >= frame {
            let length = Int(number(data, place))
            guard length <= data.endIndex - place - frame else { return nil }
            let type = String(decoding: data[place + 4..<place + 8], as: UTF8.self)
            let end = place + 8 + length
            guard checksum(data[place + 4..<end]) == number(data, end) else { return nil }
            chunks.append((type, place + 8..<end))
            if type == "IEND" { return chunks }
            place += length + frame
        }
        return nil
    }

    private static func number(_ data: Data, _ index: Int) -> UInt32 {
        data[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func chunk(_ type: String, _ content: [UInt8]) -> Data {
        let body = Array(type.utf8) + content
        func bytes(_ number: UInt32) -> [UInt8] {
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }
        return Data(bytes(UInt32(truncatingIfNeeded: content.count)) + body + bytes(checksum(body)))
    }

    /// Returns the CRC-32 of a chunk's type and content.
    private static func checksum(_ bytes: some ContiguousBytes) -> UInt32 {
        bytes.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return UInt32(truncatingIfNeeded: crc32(0, start, UInt32(clamping: bytes.count)))
        }
    }
}
