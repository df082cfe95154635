import FoundationEssentials

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
