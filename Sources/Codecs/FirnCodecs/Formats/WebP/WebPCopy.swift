import FoundationEssentials

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
