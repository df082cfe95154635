import FirnImage

/// One image of an icon file: its place, and its properties as stated by the image itself, not by the directory.
struct IconEntry {
    /// The storage of the image.
    enum Content {
        case bitmap(DIBHeader)
        case png
    }

    /// The range of the image that the directory states.
    let range: Range<Int>
    let content: Content
    let size: PixelSize
    /// The stored bits per pixel.
    let bitsPerPixel: Int
    /// The stored bits per sample.
    let sampleBits: Int

    /// Reads an image's first bytes.
    ///
    /// - Returns: `nil` if they have not arrived.
    /// - Throws: ``ImageDecodingError`` if it is not an image.
    static func read(_ chain: ByteChain, in range: Range<Int>) throws(ImageDecodingError) -> IconEntry? {
        guard let first = chain.bigEndian(at: range.lowerBound, size: 8) else { return nil }
        // The signature of PNG.
        guard first == 0x8950_4E47_0D0A_1A0A else {
            guard let header = try DIBHeader.read(chain, at: range.lowerBound, pixelOffset: nil) else { return nil }
            return IconEntry(
                range: range, content: .bitmap(header), size: header.size, bitsPerPixel: header.bitsPerPixel,
                sampleBits: header.sampleBits)
        }
        // The signature, then the chunk IHDR: length, type, width, height, depth, color type (PNG, third edition,
        // §11.2.1).
        let at = range.lowerBound
        guard let width = chain.bigEndian(at: at + 16, size: 4), let height = chain.bigEndian(at: at + 20, size: 4),
            let depth = chain.byte(at: at + 24), let type = chain.byte(at: at + 25)
        else { return nil }
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(type)]
        let size = PixelSize(width: Int(clamping: width), height: Int(clamping: height))
        guard let channels, !size.isEmpty else { throw ImageDecodingError(.data, "an entry is no valid PNG") }
        return IconEntry(
            range: range, content: .png, size: size, bitsPerPixel: channels * Int(depth), sampleBits: Int(depth))
    }
}
