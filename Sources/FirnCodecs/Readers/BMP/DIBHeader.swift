import FirnImage

/// The header of a device-independent bitmap, as it stands in BMP files and, without the file's own header, in icons.
///
/// Data structure: four families, told by their first number, which is their length. 12: BITMAPCOREHEADER. 16 to 39 and
/// 64: OS/2 2.x, cut short anywhere behind the fourth field. 40, 52, 56: BITMAPINFOHEADER with none, three or four
/// masks. 108 and 124: BITMAPV4HEADER and BITMAPV5HEADER. Behind the header: masks that it has no room for, then the
/// palette, then (BMP files: where the file header says) the pixels.
///
/// Invariant: both sides are positive and below 2^32, and the pixels are within the limit, before anybody asks for rows.
/// - Source: [MS-WMF] §2.2.2.3 and §2.2.2.9; Win32 `wingdi.h`; OS/2 Toolkit `BITMAPINFOHEADER2`.
struct DIBHeader {
    /// How pixels are stored.
    enum Compression: Equatable {
        case none, runs4, runs8, runs24, masks, jpeg, png
    }

    /// What the file says of its colors.
    enum Color: Equatable {
        case nothing
        case described(ColorDescription)
        /// An ICC profile at an offset in the file.
        case profile(offset: Int, count: Int)
    }

    /// Columns and rows; of an icon without the rows of its mask.
    var size: PixelSize
    var isTopDown = false
    var bitsPerPixel: Int
    var compression = Compression.none
    /// Where red, green, blue and alpha stand in a pixel of 16 or 32 bits.
    var masks: ChannelMasks?
    /// Offset of the first palette entry in the file.
    var paletteOffset = 0
    /// Entries of the palette that pixels can name and that stand before the pixels.
    var paletteCount = 0
    /// 3, or 4 with an unused byte.
    var paletteEntryBytes = 4
    /// Offset of the first pixel in the file.
    var pixelOffset = 0
    /// Bytes that the header gives for the compressed pixels; 0 where it says nothing.
    var compressedBytes = 0
    var color = Color.nothing
    var resolution: ImageProperties.Resolution?

    init(size: PixelSize, bitsPerPixel: Int) {
        self.size = size
        self.bitsPerPixel = bitsPerPixel
    }

    /// Whether pixels are numbers of palette entries.
    var isIndexed: Bool { bitsPerPixel <= 8 && compression != .jpeg && compression != .png }

    /// Bytes of an uncompressed row: whole groups of four. At most 2^32 pixels of 32 bits, so it cannot overflow.
    var bytesPerRow: Int { (size.width * bitsPerPixel + 31) / 32 * 4 }

    /// Bytes of an icon's row of mask bits.
    var maskBytesPerRow: Int { (size.width + 31) / 32 * 4 }

    /// Offset behind the last uncompressed row.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if it cannot be counted.
    func pixelEnd() throws(ImageDecodingError) -> Int {
        let (bytes, overflow) = bytesPerRow.multipliedReportingOverflow(by: size.height)
        let (end, overflow2) = pixelOffset.addingReportingOverflow(bytes)
        guard !overflow, !overflow2 else {
            throw ImageDecodingError(.limit, "its \(size) pixels cannot be counted in bytes")
        }
        return end
    }

    /// Whether pixels may be transparent, apart from an icon's mask.
    var hasAlpha: Bool { compression == .masks && (masks?.alpha.isPresent ?? false) }

    /// Bits of the widest sample.
    var sampleBits: Int {
        if isIndexed { return bitsPerPixel }
        return bitsPerPixel == 24 ? 8 : masks?.widest ?? 8
    }
}
