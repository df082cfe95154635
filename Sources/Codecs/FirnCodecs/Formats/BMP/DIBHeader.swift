/// The header of a device-independent bitmap, as in BMP files and, without the file header, in icons.
///
/// Data structure: four families, identified by the first number, which is their length. 12: BITMAPCOREHEADER. 16 to 39
/// and 64: OS/2 2.x, truncated anywhere after the fourth field. 40, 52, 56: BITMAPINFOHEADER with no, three or four
/// masks. 108 and 124: BITMAPV4HEADER and BITMAPV5HEADER. After the header come masks for which it has no room, then
/// the palette, then the pixels (in BMP files: at the offset in the file header).
///
/// Invariant: both sides are positive and below 2^32, and the pixels are within the limit, before any rows are read.
///
/// - Source: [MS-WMF] §2.2.2.3 and §2.2.2.9; Win32 `wingdi.h`; OS/2 Toolkit `BITMAPINFOHEADER2`.
struct DIBHeader {
    /// The storage of pixels.
    enum Compression: Equatable {
        case none, runs4, runs8, runs24, masks, jpeg, png
    }

    /// The color information of the file.
    enum Color: Equatable {
        case described(ColorDescription)
        /// An ICC profile at an offset in the file.
        case profile(offset: Int, count: Int)
    }

    /// The columns and rows; for an icon without the rows of its mask.
    var size: PixelSize
    var isTopDown = false
    var bitsPerPixel: Int
    var compression = Compression.none
    /// The masks of red, green, blue and alpha in a pixel of 16 or 32 bits.
    var masks: ChannelMasks?
    /// The offset of the first palette entry in the file.
    var paletteOffset = 0
    /// The number of palette entries that pixels can refer to. They may reach into the pixels.
    var paletteCount = 0
    /// The bytes of a palette entry: 3, or 4 with an unused byte.
    var paletteEntryBytes = 4
    /// The offset of the first pixel in the file.
    var pixelOffset = 0
    /// The bytes of compressed pixels that the header states; 0 if it states none.
    var compressedBytes = 0
    var color: Color?
    var resolution: ImageResolution?

    /// True if pixels are palette indices.
    var isIndexed: Bool { bitsPerPixel <= 8 && compression != .jpeg && compression != .png }

    /// The bytes of an uncompressed row, a multiple of four. There are at most 2^32 pixels of 32 bits, so it cannot
    /// overflow.
    var bytesPerRow: Int { (size.width * bitsPerPixel + 31) / 32 * 4 }

    /// The bytes of a row of an icon's mask.
    var maskBytesPerRow: Int { (size.width + 31) / 32 * 4 }

    /// Returns the offset after the last uncompressed row.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if it overflows.
    func pixelEnd() throws(ImageDecodingError) -> Int { try end(pixelOffset, bytesPerRow, "\(size) pixels") }

    /// Returns the offset after an icon's mask, which follows the pixels.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if it overflows.
    func maskEnd() throws(ImageDecodingError) -> Int { try end(pixelEnd(), maskBytesPerRow, "mask") }

    private func end(
        _ offset: Int, _ bytesPerRow: Int, _ what: @autoclosure () -> String
    ) throws(ImageDecodingError) -> Int {
        let (bytes, overflow) = bytesPerRow.multipliedReportingOverflow(by: size.height)
        let (end, overflow2) = offset.addingReportingOverflow(bytes)
        guard !overflow, !overflow2 else {
            throw ImageDecodingError(.limit, "its \(what()) cannot be counted in bytes")
        }
        return end
    }

    /// The bytes of a row without padding: a file may end before the last padding.
    var rowBytes: Int { (size.width * bitsPerPixel + 7) / 8 }

    /// True if pixels may be transparent, apart from an icon's mask.
    var hasAlpha: Bool { compression == .masks && (masks?.alpha ?? 0) != 0 }

    /// The bits of the widest sample.
    var sampleBits: Int {
        if isIndexed { return bitsPerPixel }
        return bitsPerPixel == 24 ? 8 : masks?.widest ?? 8
    }
}
