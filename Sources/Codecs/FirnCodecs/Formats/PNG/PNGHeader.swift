/// The content of the IHDR chunk.
///
/// - Source: PNG (third edition) §11.2.1.
struct PNGHeader {
    let size: PixelSize
    let depth: Int
    /// 0 gray, 2 color, 3 indexed, 4 gray and alpha, 6 color and alpha.
    let colorType: Int
    let isInterlaced: Bool
    /// The 13 bytes.
    let content: [UInt8]

    /// - Throws: ``ImageDecodingError/Fault/data`` if PNG does not allow the declared values.
    init(_ content: [UInt8]) throws(ImageDecodingError) {
        guard content.count == 13 else { throw ImageDecodingError(.data, "the header's length is wrong") }
        self.content = content
        size = PixelSize(width: content.big(0, 4), height: content.big(4, 4))
        depth = Int(content[8])
        colorType = Int(content[9])
        isInterlaced = content[12] == 1
        let depths: [Int] =
            switch colorType {
            case 0: [1, 2, 4, 8, 16]
            case 3: [1, 2, 4, 8]
            case 2, 4, 6: [8, 16]
            default: []
            }
        guard depths.contains(depth) else {
            throw ImageDecodingError(
                .data, "has samples of \(depth) bits in color type \(colorType), which PNG does not know")
        }
        guard content[10] == 0, content[11] == 0, content[12] < 2 else {
            throw ImageDecodingError(.data, "declares a compression, filter or interlace method that PNG does not know")
        }
        guard size.width < 1 << 31, size.height < 1 << 31 else {
            throw ImageDecodingError(.data, "declares \(size) pixels, more than PNG allows")
        }
    }

    /// True if pixels are palette indices.
    var isIndexed: Bool { colorType == 3 }

    /// Returns the same header for an image of another size.
    func content(for size: PixelSize) -> [UInt8] {
        size.width.bigEndianBytes(4) + size.height.bigEndianBytes(4) + content.dropFirst(8)
    }
}
