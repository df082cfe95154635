import FirnImage

/// The chunks of one image of a WebP file: of a still, or of a frame.
///
/// - Source: RFC 9649 §2.5, §2.6, §2.7.1.2; RFC 6386 §9.1 (the lossy header); RFC 9649 §3.4 (the lossless one).
struct WebPImage {
    /// The range of the alpha chunk, including its header, if there is one.
    var alpha: Range<Int>?
    /// The range of the pixel chunk, including its header.
    let pixels: Range<Int>
    let isLossless: Bool
    let size: PixelSize
    let hasAlpha: Bool

    /// The first byte after the image.
    var end: Int { pixels.upperBound }

    /// The stream for the decoder.
    var stream: ByteStream {
        var parts: [ByteStream.Part] = []
        // A padding byte follows a chunk of odd length; ALPH's range includes it.
        if let alpha { parts.append(.file(alpha)) }
        parts.append(.file(pixels))
        return ByteStream(parts: parts, isComplete: true)
    }

    /// The result of reading the first bytes of a bitstream.
    enum Head {
        case needsBytes, damaged
        case known(WebPImage)
    }

    /// Reads the head of the chunk of `length` bytes whose header is at `offset`.
    ///
    /// - Parameter isDeclaredOpaque: whether the file declares that alpha is to be ignored.
    static func read(
        _ chain: ByteChain, at offset: Int, length: Int, isLossless: Bool, alpha: Range<Int>?, isDeclaredOpaque: Bool
    ) -> Head {
        let alpha = isDeclaredOpaque || isLossless ? nil : alpha
        let needed = isLossless ? 5 : 10
        guard length >= needed else { return .damaged }
        guard let bytes = chain.bytes(at: offset + 8, count: needed).map({ [UInt8]($0) }) else { return .needsBytes }
        let size: PixelSize
        let hasAlpha: Bool
        if isLossless {
            let bits = bytes.little(1, 4)
            guard bytes[0] == 0x2F else { return .damaged }
            size = PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
            hasAlpha = bits >> 28 & 1 == 1 && !isDeclaredOpaque
        } else {
            // A key frame, and its start code.
            guard bytes[0] & 1 == 0, bytes[3...5].elementsEqual([0x9D, 0x01, 0x2A]) else { return .damaged }
            size = PixelSize(width: bytes.little(6, 2) & 0x3FFF, height: bytes.little(8, 2) & 0x3FFF)
            hasAlpha = alpha != nil
        }
        return .known(
            WebPImage(
                alpha: alpha, pixels: offset..<offset + 8 + length, isLossless: isLossless, size: size,
                hasAlpha: hasAlpha))
    }
}
