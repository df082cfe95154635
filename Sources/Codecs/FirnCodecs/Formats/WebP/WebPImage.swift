import FirnImage

/// The chunks of one image of a WebP file: of a still, or of a frame.
///
/// - Source: RFC 9649 §2.5, §2.6, §2.7.1.2; RFC 6386 §9.1 (the lossy header); RFC 9649 §3.4 (the lossless one).
struct WebPImage {
    /// The range of the alpha chunk, including its header, if there is one.
    let alpha: Range<Int>?
    /// The range of the pixel chunk, including its header.
    let pixels: Range<Int>
    let isLossless: Bool
    let size: PixelSize
    let hasAlpha: Bool

    /// The first byte after the image.
    var end: Int { pixels.upperBound }

    /// The stream for the decoder.
    var stream: ByteStream {
        // A padding byte follows a chunk of odd length; ALPH's range includes it.
        ByteStream(parts: [alpha, pixels].compactMap { $0.map(ByteStream.Part.file) }, isComplete: true)
    }

    /// Reads the head of a pixel chunk; `nil` if it is damaged.
    ///
    /// - Parameters:
    ///   - head: the first bytes of the content: 5 if it is lossless, otherwise 10.
    ///   - isDeclaredOpaque: whether the file declares that alpha is to be ignored.
    init?(_ head: [UInt8], pixels: Range<Int>, isLossless: Bool, alpha: Range<Int>?, isDeclaredOpaque: Bool) {
        self.pixels = pixels
        self.isLossless = isLossless
        self.alpha = isDeclaredOpaque || isLossless ? nil : alpha
        if isLossless {
            let bits = head.little(1, 4)
            guard head[0] == 0x2F else { return nil }
            size = PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
            hasAlpha = bits >> 28 & 1 == 1 && !isDeclaredOpaque
        } else {
            // A key frame, and its start code.
            guard head[0] & 1 == 0, head[3...5].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
            size = PixelSize(width: head.little(6, 2) & 0x3FFF, height: head.little(8, 2) & 0x3FFF)
            hasAlpha = self.alpha != nil
        }
    }
}
