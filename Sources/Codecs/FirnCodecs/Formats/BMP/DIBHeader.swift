import FoundationEssentials

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

    /// The columns and rows; for an icon without the rows of its mask.
    var size: PixelSize
    var isTopDown = false
    var bitsPerPixel: Int
    var compression = Compression.none
    /// The masks of red, green, blue and alpha in a pixel of 16 or 32 bits.
    var masks: ChannelMasks?
    /// The offset of the first palette entry in the file.
    var paletteOffset = 0
    /// The number of palette entries that pixels can refer to. The entries may overlap the pixels.
    var paletteCount = 0
    /// The bytes of a palette entry: 3, or 4 with an unused byte.
    var paletteEntryBytes = 4
    /// The offset of the first pixel in the file.
    var pixelOffset = 0
    /// The bytes of compressed pixels that the header states; 0 if it states none.
    var compressedBytes = 0
    var colorDescription: ColorDescription?
    /// The offset and the bytes of an ICC profile in the file.
    var profile: (offset: Int, count: Int)?
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
    /// - Throws: ``ImageError/Fault/limit`` if it overflows.
    func pixelEnd() throws(ImageError) -> Int { try end(pixelOffset, bytesPerRow, "\(size) pixels") }

    /// Returns the offset after an icon's mask, which follows the pixels.
    ///
    /// - Throws: ``ImageError/Fault/limit`` if it overflows.
    func maskEnd() throws(ImageError) -> Int { try end(pixelEnd(), maskBytesPerRow, "mask") }

    private func end(
        _ offset: Int, _ bytesPerRow: Int, _ what: @autoclosure () -> String
    ) throws(ImageError) -> Int {
        let (bytes, overflow) = bytesPerRow.multipliedReportingOverflow(by: size.height)
        let (end, overflow2) = offset.addingReportingOverflow(bytes)
        guard !overflow, !overflow2 else { throw .limit("its \(what()) cannot be counted in bytes") }
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

    /// Reads the header at `start`.
    ///
    /// - Parameter pixelOffset: the pixels' offset that the header of a BMP file states; `nil` for an icon, which is
    ///   twice as high as the image, because a mask follows the pixels, and whose 32 bits include alpha.
    /// - Returns: `nil` if some of its bytes have not been received.
    /// - Throws: ``ImageError`` if it is not a header, or needs something unsupported.
    static func read(_ chain: ByteChain, at start: Int, pixelOffset: Int?) throws(ImageError) -> DIBHeader? {
        guard let length = chain.little(start, 4) else { return nil }
        guard length == 12 || (16...124).contains(length) else {
            throw .data("has no bitmap header of a known kind; its length would be \(length)")
        }
        guard let bytes = chain.bytes(at: start, count: length) else { return nil }
        let fields = LittleEndianFields(bytes)
        var header = try length == 12 ? core(fields) : info(fields, length: length)
        if pixelOffset == nil {
            header.size.height /= 2
            guard header.size.height > 0 else { throw .data("an icon without rows") }
            if header.compression != .none, header.compression != .masks {
                throw .unsupported("an icon of compressed pixels")
            }
        }
        var paletteOffset = start + length
        if length == 40, fields.u32(16) == 3 || fields.u32(16) == 6 {
            let count = fields.u32(16) == 6 ? 4 : 3
            guard let masks = chain.bytes(at: paletteOffset, count: count * 4) else { return nil }
            header.masks = ChannelMasks(LittleEndianFields(masks), at: 0, count: count, bits: header.bitsPerPixel)
            paletteOffset += count * 4
        }
        try header.check(isIcon: pixelOffset == nil)
        header.place(paletteOffset, declared: length >= 36 ? fields.u32(32) : 0, stated: pixelOffset)
        if length == 124, fields.u32(56) == 0x4D42_4544 {  // 'MBED'
            header.profile = (start + fields.u32(112), fields.u32(116))
        }
        return header
    }

    private static func core(_ fields: LittleEndianFields) throws(ImageError) -> DIBHeader {
        let size = PixelSize(width: fields.u16(4), height: fields.u16(6))
        guard !size.isEmpty else { throw .data("has no pixels: its size is \(size)") }
        var header = DIBHeader(size: size, bitsPerPixel: fields.u16(10))
        header.paletteEntryBytes = 3
        header.masks = .standard(bits: header.bitsPerPixel)
        return header
    }

    private static func info(_ fields: LittleEndianFields, length: Int) throws(ImageError) -> DIBHeader {
        let height = fields.i32(8)
        let size = PixelSize(width: fields.i32(4), height: abs(height))
        guard !size.isEmpty else { throw .data("has no pixels: its size is \(fields.i32(4))x\(height)") }
        var header = DIBHeader(size: size, bitsPerPixel: fields.u16(14))
        header.isTopDown = height < 0
        header.compression = try compression(fields.u32(16), isOS2: length < 40 || length == 64)
        header.compressedBytes = fields.u32(20)
        header.masks = .standard(bits: header.bitsPerPixel)
        if length >= 52, length != 64, header.compression == .masks {
            header.masks = ChannelMasks(fields, at: 40, count: length >= 56 ? 4 : 3, bits: header.bitsPerPixel)
        }
        header.resolution = ImageResolution(perMeter: fields.i32(24), fields.i32(28))
        if length >= 108, fields.u32(56) == 0 {
            header.colorDescription = ColorDescription(calibrated: fields, at: 60)
        }
        return header
    }

    private static func compression(_ code: Int, isOS2: Bool) throws(ImageError) -> Compression {
        switch (code, isOS2) {
        case (0, _): return .none
        case (1, _): return .runs8
        case (2, _): return .runs4
        case (3, false), (6, false): return .masks
        case (4, false): return .jpeg
        case (5, false): return .png
        case (4, true): return .runs24
        case (3, true): throw .unsupported("compression by Huffman codes is not read")
        default: throw .unsupported("compression \(code) is not known")
        }
    }

    /// Throws if the bits per pixel do not match the compression.
    private mutating func check(isIcon: Bool) throws(ImageError) {
        let bits: [Int] =
            switch compression {
            case .none: [1, 2, 4, 8, 16, 24, 32]
            case .runs4: [4]
            case .runs8: [8]
            case .runs24: [24]
            case .masks: [16, 24, 32]
            case .jpeg, .png: [bitsPerPixel]
            }
        guard bits.contains(bitsPerPixel) else {
            throw .unsupported("\(bitsPerPixel) bits a pixel in this compression")
        }
        if compression == .masks, masks?.isEmpty ?? true {
            throw .data("says by no mask where its colors stand")
        }
        if isIcon, compression == .none, bitsPerPixel == 32 {
            masks = .withAlpha
            compression = .masks
        }
    }

    /// Sets the offsets of palette and pixels: the stated ones, unless they lie inside the header.
    ///
    /// `declared` is below 2^32, so nothing here overflows.
    private mutating func place(_ offset: Int, declared: Int, stated: Int?) {
        let possible = isIndexed ? 1 << bitsPerPixel : 0
        let count = declared == 0 ? possible : declared
        paletteOffset = offset
        pixelOffset = offset + count * paletteEntryBytes
        if let stated, stated >= offset { pixelOffset = stated }
        paletteCount = min(count, possible)
    }
}

/// Reads little-endian numbers of a complete header. Beyond its end, numbers are 0.
struct LittleEndianFields {
    private let bytes: [UInt8]

    init(_ bytes: Data) { self.bytes = Array(bytes) }

    /// Reads two bytes, unsigned.
    func u16(_ offset: Int) -> Int {
        offset >= 0 && offset + 2 <= bytes.count ? bytes.little(offset, 2) : 0
    }

    /// Reads four bytes, unsigned.
    func u32(_ offset: Int) -> Int { u16(offset) | u16(offset + 2) << 16 }

    /// Reads four bytes, signed.
    func i32(_ offset: Int) -> Int { Int(Int32(truncatingIfNeeded: u32(offset))) }
}

extension ColorDescription {
    /// Reads the calibrated colors of a BITMAPV4HEADER: CIEXYZTRIPLE in 2.30 and three gammas in 16.16 fixed point.
    ///
    /// Writers store either XYZ, whose sum is the white point, or chromaticities, as the structure's sample code does;
    /// their white point is assumed to be D65. Different gammas are averaged, because a description has one exponent.
    ///
    /// - Returns: `nil` if a number is implausible; many writers leave zeros.
    init?(calibrated fields: LittleEndianFields, at offset: Int) {
        var ends: [SIMD3<Double>] = []
        for index in 0..<3 {
            let at = offset + index * 12
            func value(_ place: Int) -> Double { Double(fields.i32(at + place * 4)) / 0x1p30 }
            ends.append(SIMD3(value(0), value(1), value(2)))
            guard ends[index].min() >= 0, ends[index].y > 0 else { return nil }
        }
        let gamma = (0..<3).reduce(0.0) { $0 + Double(fields.u32(offset + 36 + $1 * 4)) / 0x1p16 } / 3
        guard gamma > 0.1, gamma < 10 else { return nil }
        func point(_ end: SIMD3<Double>) -> Chromaticity { Chromaticity(end.x, end.y) / end.sum() }
        let areChromaticities = ends.allSatisfy { abs($0.sum() - 1) < 0.01 }
        self.init()
        self.gamma = 1 / gamma
        primaries = Primaries(
            white: areChromaticities ? Chromaticity(x: 0.3127, y: 0.3290) : point(ends[0] + ends[1] + ends[2]),
            red: point(ends[0]), green: point(ends[1]), blue: point(ends[2]))
    }
}
