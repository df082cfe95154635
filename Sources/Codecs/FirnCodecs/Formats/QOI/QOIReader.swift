import FirnSync
import FoundationEssentials

/// Reads a QOI file: a header of 14 bytes, then codes for pixels in order.
///
/// - Source: "The Quite OK Image Format", specification version 1.0, 2022.01.05.
final class QOIReader: FileReader, FormatReader {
    /// The bytes of the header.
    static let headerLength = 14

    let format = ImageFormat.qoi

    func scan(_ chain: inout ByteChain) throws(ImageError) {
        if properties == nil {
            guard let width = chain.big(4, 4), let height = chain.big(8, 4), let channels = chain.byte(at: 12),
                let space = chain.byte(at: 13)
            else { return try chain.waiting(else: "the header is cut short") }
            let size = PixelSize(width: width, height: height)
            guard !size.isEmpty else { throw .data("has no pixels: its size is \(size)") }
            guard channels == 3 || channels == 4 else {
                throw .data("says that pixels have \(channels) channels; there are 3 or 4")
            }
            guard space <= 1 else { throw .data("names a color space \(space) that there is not") }
            try limits.check(size, states: "has")
            var properties = ImageProperties(format: .qoi, size: size)
            properties.hasAlpha = channels == 4
            // The primaries of sRGB, and linear samples.
            if space == 1 { properties.colorDescription = ColorDescription(primaries: 1, transfer: 8) }
            self.properties = properties
            frames = [StoredFrame(size: size, hasAlpha: properties.hasAlpha)]
        }
        // The length of the codes is known only once all are decoded.
        if chain.isFinished, !isEndSeen, !frames.isEmpty {
            isEndSeen = true
            frames[0].isComplete = try isWhole(frames[0].size, chain)
        }
    }

    /// Returns whether a file that has arrived whole holds the codes of all pixels.
    private func isWhole(_ size: PixelSize, _ chain: ByteChain) throws(ImageError) -> Bool {
        // Order: most files end with the end marker of eight bytes, and need no walk over their codes.
        if chain.big(chain.count - 8, 8) == 1 { return true }
        var left = size.area
        var position = QOIReader.headerLength
        while left > 0 {
            try chain.watch.check()
            let piece = chain.piece(at: position)
            guard !piece.isEmpty else { return false }
            var index = piece.startIndex
            while left > 0, index < piece.endIndex {
                let code = QOICodes.measure(piece[index])
                left -= code.pixels
                index += code.length
            }
            position += index - piece.startIndex
        }
        return position <= chain.count
    }

    func workingBytes(for request: RowRequest) -> Int { (frames.first?.size.width ?? 0) * 4 }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        guard let frame = frame(request.frame) else { return nil }
        return QOIRowSource(frame.size, hasAlpha: frame.hasAlpha, layout: request.layout)
    }
}

/// The rows of a QOI file, as far as its codes have arrived. Ignores bytes after the last pixel.
final class QOIRowSource: RowSource {
    /// The bytes read from the file at once.
    private static let bytesAtOnce = 1 << 16

    let size: PixelSize
    let layout: SampleLayout
    private var codes: QOICodes
    /// The offset of the next code.
    private var position = QOIReader.headerLength
    /// The first `begun` pixels of a row whose bytes have not all arrived. Rows that arrive whole bypass this buffer.
    private var row: [UInt8] = []
    private var begun = 0
    private var next = 0

    init(_ size: PixelSize, hasAlpha: Bool, layout: SampleLayout) {
        self.size = size
        self.layout = layout
        codes = QOICodes(isOpaque: !hasAlpha, layout: layout)
    }

    var bytesNeeded: Int? { next == size.height ? position : nil }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        let wanted = min(memory.rows, size.height - next)
        let done = fill(memory, rows: wanted, chain)
        next += done
        return RowProgress(
            rows: done, state: next == size.height ? .end : done == wanted ? .more : .needsBytes)
    }

    /// Decodes rows; the decoded part of an incomplete one is kept.
    ///
    /// - Returns: the number of complete rows.
    private func fill(_ memory: RowMemory, rows: Int, _ chain: ByteChain) -> Int {
        if begun > 0 { row.span.bytes.copy(to: memory.row(0)) }
        var done = 0
        while done < rows {
            // A pixel's code has at most five bytes.
            let most = size.width.saturatingMultiply(5).saturatingMultiply(rows - done)
            let count = max(0, min(QOIRowSource.bytesAtOnce, chain.count - position, most))
            let before = (done, begun)
            var used = 0
            if codes.isRunning || count > 0, let bytes = chain.bytes(at: position, count: count) {
                done += codes.decode(
                    bytes.bytes, &used, &begun, width: size.width, rows: done..<rows, of: memory)
            }
            position += used
            if used == 0, before == (done, begun) {
                row = Array(memory.row(done))
                break
            }
        }
        return done
    }
}

/// Decodes the codes of QOI.
///
/// Data structure: the previous pixel, and the 64 pixels seen last, each at the index of its hash. The first byte
/// identifies a code: 0xFE three bytes of color, 0xFF color and alpha; otherwise its two highest bits do: 0 a pixel
/// seen before, 1 small differences, 2 differences relative to green's, 3 a run of the previous pixel.
///
/// Safety: every access to bytes, rows and the pixels seen is checked. An index of 6 bits is always below 64, so the
/// optimizer can leave its check out.
///
/// - Source: QOI specification 1.0, "Data chunks".
struct QOICodes {
    /// The previous pixel: red, green, blue, alpha, from the lowest byte on.
    private var pixel: UInt32 = 0xFF00_0000
    private var seen = [UInt32](repeating: 0, count: 64)
    /// The number of further pixels equal to the previous one.
    private var run = 0
    private let isOpaque: Bool
    private let layout: SampleLayout

    init(isOpaque: Bool, layout: SampleLayout) {
        self.isOpaque = isOpaque
        self.layout = layout
    }

    /// True if pixels remain that need no further code.
    var isRunning: Bool { run > 0 }

    /// Decodes rows of `width` pixels, as far as `bytes` go.
    ///
    /// - Parameters:
    ///   - used: the number of bytes used.
    ///   - begun: the pixels of the first row that are decoded; then those of the row after the complete ones.
    /// - Returns: the number of complete rows.
    mutating func decode(
        _ bytes: RawSpan, _ used: inout Int, _ begun: inout Int, width: Int, rows: Range<Int>, of memory: RowMemory
    ) -> Int {
        for row in rows {
            begun = decode(bytes, &used, from: begun, to: width, of: memory.row(row))
            guard begun == width else { return row - rows.lowerBound }
            begun = 0
        }
        return rows.count
    }

    /// Returns the bytes and the pixels of a code by its first byte.
    static func measure(_ first: UInt8) -> (length: Int, pixels: Int) {
        switch first {
        case 0xFE: (4, 1)
        case 0xFF: (5, 1)
        case 0x80..<0xC0: (2, 1)
        case 0xC0...: (1, Int(first & 0x3F) + 1)
        default: (1, 1)
        }
    }

    /// Decodes pixels `x` to `end` of a row, as far as `bytes` go; does not start an incomplete code.
    ///
    /// - Parameter used: the number of bytes used.
    /// - Returns: the first pixel that was not decoded.
    private mutating func decode(
        _ bytes: RawSpan, _ used: inout Int, from x: Int, to end: Int, of row: UnsafeMutableRawBufferPointer
    ) -> Int {
        let opaque: UInt32 = isOpaque ? 0xFF00_0000 : 0
        var row = row.mutableBytes
        guard row.byteCount == end &* layout.bytesPerPixel else { return x }
        // Each call is inlined, so that the loop over pixels does not test the layout.
        return switch layout {
        case .rgb8:
            decode(bytes, &used, from: x, to: end) { pixel, x in
                row.storeBytes(of: UInt16(truncatingIfNeeded: pixel), toByteOffset: x &* 3, as: UInt16.self)
                row.storeBytes(of: UInt8(truncatingIfNeeded: pixel &>> 16), toByteOffset: x &* 3 &+ 2, as: UInt8.self)
            }
        case .bgra8:
            decode(bytes, &used, from: x, to: end) { pixel, x in
                let swapped = pixel & 0xFF00_FF00 | (pixel & 0xFF) &<< 16 | (pixel &>> 16) & 0xFF
                row.storeBytes(of: (swapped | opaque).littleEndian, toByteOffset: x &* 4, as: UInt32.self)
            }
        default:
            decode(bytes, &used, from: x, to: end) { pixel, x in
                row.storeBytes(of: (pixel | opaque).littleEndian, toByteOffset: x &* 4, as: UInt32.self)
            }
        }
    }

    @inline(__always)
    private mutating func decode(
        _ bytes: RawSpan, _ used: inout Int, from x: Int, to end: Int, _ store: (UInt32, Int) -> Void
    ) -> Int {
        // Local copies stay in registers during the loop.
        var (x, at, pixel, run) = (x, used, pixel, run)
        var seen = seen.mutableSpan
        guard seen.count == 64 else { return x }
        while x < end {
            if run > 0 {
                run &-= 1
                store(pixel, x)
                x &+= 1
                continue
            }
            let left = bytes.byteCount &- at
            guard left > 0 else { break }
            let code = bytes.byte(at: at)
            if code < 0x40 {
                pixel = seen[Int(code)]
                at &+= 1
                store(pixel, x)
                x &+= 1
                continue
            }
            if code < 0x80 {
                let small = UInt32(code)
                // 2 is subtracted from each difference: 254 is added.
                let differences = small &>> 4 & 3 | (small &>> 2 & 3) &<< 8 | (small & 3) &<< 16
                pixel = QOICodes.sum(QOICodes.sum(pixel, differences), 0xFE_FEFE)
                at &+= 1
            } else if code < 0xC0 {
                guard left >= 2 else { break }
                let second = UInt32(bytes.byte(at: at &+ 1))
                let green = UInt32(code & 0x3F) &- 32
                let ends = green &- 8
                let differences =
                    (ends &+ second &>> 4) & 0xFF | (green & 0xFF) &<< 8 | ((ends &+ second & 15) & 0xFF) &<< 16
                pixel = QOICodes.sum(pixel, differences)
                at &+= 2
            } else if code < 0xFE {
                // The pixel is also stored, because a file may start with a run of the initial black.
                run = Int(code & 0x3F)
                at &+= 1
            } else if code == 0xFE {
                guard left >= 4 else { break }
                pixel = pixel & 0xFF00_0000 | bytes.littleEndian32(at: at) &>> 8
                at &+= 4
            } else {
                guard left >= 5 else { break }
                pixel = bytes.littleEndian32(at: at &+ 1)
                at &+= 5
            }
            seen[QOICodes.place(pixel)] = pixel
            store(pixel, x)
            x &+= 1
        }
        (used, self.pixel, self.run) = (at, pixel, run)
        return x
    }

    /// Adds each of the four bytes modulo 256.
    @inline(__always)
    private static func sum(_ one: UInt32, _ other: UInt32) -> UInt32 {
        ((one & 0x7F7F_7F7F) &+ (other & 0x7F7F_7F7F)) ^ ((one ^ other) & 0x8080_8080)
    }

    /// Returns the index of a pixel: the lowest 6 bits of 3 red + 5 green + 7 blue + 11 alpha.
    @inline(__always)
    private static func place(_ pixel: UInt32) -> Int {
        // The product's highest byte is that sum: red, blue, green and alpha are 7, 5, 2 and 0 bytes below it, and
        // the sums in lower bytes do not carry into it.
        let apart = (UInt64(pixel) | UInt64(pixel) &<< 32) & 0xFF00_FF00_00FF_00FF
        return Int(truncatingIfNeeded: (apart &* 0x0300_0700_0005_000B) &>> 56) & 63
    }
}
