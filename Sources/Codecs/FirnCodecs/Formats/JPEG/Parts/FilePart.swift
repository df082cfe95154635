import FoundationEssentials

/// A smaller JPEG that has the codes of a part of an image.
///
/// Its pixels are those of the image: it has the same tables, and it holds one more MCU than the part on each side, so
/// that chroma is interpolated from the same samples.
struct FilePart {
    /// The file.
    let data: Data
    /// The part's place in it.
    let area: PixelArea

    /// Copies the restart intervals for `area`, which lies in the image.
    ///
    /// - Returns: `nil` if the index does not reach that far, or most of the codes up to there are needed anyway.
    init?(_ area: PixelArea, _ index: inout RestartIndex, _ chain: ByteChain) throws(ImageError) {
        let (frame, perRow) = (index.frame, index.intervalsPerRow)
        // The intervals to take, as columns and rows of their grid.
        let mcus = frame.mcus(around: area)
        let (left, right) = (mcus.columns.lowerBound, mcus.columns.upperBound)
        let (top, bottom) = (mcus.rows.lowerBound, mcus.rows.upperBound)
        let columns = perRow == 1 ? 0...0 : left / index.interval...right / index.interval
        let rows = top / index.rowsPerInterval...bottom / index.rowsPerInterval
        let last = rows.upperBound * perRow + columns.upperBound
        guard columns.count * rows.count * 2 <= last + 1, try index.extend(to: last + 1, in: chain) else { return nil }
        // The sides of an interval in pixels; the last one of a side may be cut off by the image's edge.
        let width = perRow == 1 ? frame.width : index.interval * frame.mcuWidth
        let height = index.rowsPerInterval * frame.mcuHeight
        let x = columns.lowerBound * width
        let y = rows.lowerBound * height
        let size = PixelSize(
            width: min(frame.width, (columns.upperBound + 1) * width) - x,
            height: min(frame.height, (rows.upperBound + 1) * height) - y)
        var data = index.head.data(size)
        var number: UInt8 = 0
        for row in rows {
            for column in columns {
                let interval = row * perRow + column
                let start = index.starts[interval]
                guard let codes = chain.bytes(at: start, count: index.ends[interval] - start) else { return nil }
                data.append(codes)
                data.append(contentsOf: [0xFF, 0xD0 + number % 8])
                number = (number + 1) % 8
            }
        }
        // The last restart marker becomes the end of the image.
        data[data.endIndex - 1] = JPEGMarker.endOfImage
        self.data = data
        self.area = PixelArea(x: area.x - x, y: area.y - y, size: area.size)
    }

    // Parts by a ``CodedIndex``: the codes are those of the image, moved to whole bytes row by row, with a restart
    // marker after each row. Only the first differences of a row's DC coefficients are coded anew.

    private static let blockLength = 16 << 10

    /// Copies the intervals for `area`, which lies in the image.
    ///
    /// - Returns: `nil` if most of the codes up to there are needed anyway, or the index is not of these bytes.
    init?(_ area: PixelArea, _ index: CodedIndex, _ head: PartHead, _ chain: ByteChain) throws(ImageError) {
        let frame = head.frame
        let mcus = frame.mcus(around: area)
        let (left, right) = (
            mcus.columns.lowerBound / CodedIndex.interval, mcus.columns.upperBound / CodedIndex.interval
        )
        let (top, bottom) = (mcus.rows.lowerBound, mcus.rows.upperBound)
        let perRow = index.intervalsPerRow
        guard (right - left + 1) * (bottom - top + 1) * 2 <= bottom * perRow + right + 1 else { return nil }
        let mcusWide = min(frame.mcusWide, (right + 1) * CodedIndex.interval) - left * CodedIndex.interval
        let (x, y) = (left * CodedIndex.interval * frame.mcuWidth, top * frame.mcuHeight)
        let size = PixelSize(
            width: min(frame.width - x, mcusWide * frame.mcuWidth),
            height: min(frame.height, (bottom + 1) * frame.mcuHeight) - y)
        guard let (inner, codes) = head.restarting(every: mcusWide), let row = CodedRow(head, codes) else { return nil }
        var writer = CodeWriter(inner.data(size))
        // A row's codes are few, and far from those of the next one.
        let chain = chain.reopened(blockLength: FilePart.blockLength)
        for number in top...bottom {
            try chain.watch.step()
            let first = number * perRow + left
            let (start, end) = (index.place(first), index.place(number * perRow + right + 1))
            guard start < end, let bytes = chain.bytes(at: start >> 3, count: (end + 7) >> 3 - start >> 3),
                row.copy(bytes, from: start & 7, endingAt: end & 7, index.predictions(first), to: &writer)
            else { return nil }
            let isLast = number == bottom
            writer.mark(isLast ? JPEGMarker.endOfImage : 0xD0 + UInt8(truncatingIfNeeded: (number - top) & 7))
        }
        data = writer.data
        self.area = PixelArea(x: area.x - x, y: area.y - y, size: area.size)
    }
}

/// Copies a row of MCUs whose first differences are coded anew.
private struct CodedRow {
    private struct Component {
        let blocks: Int
        let dc: BlockTable
        let ac: BlockTable
        /// The codes of differences in the copy.
        let codes: [UInt8: (bits: Int, length: Int)]
    }

    private let components: [Component]

    init?(_ head: PartHead, _ codes: [StatedCodes]) {
        guard let tables = head.tables else { return nil }
        components = zip(head.frame.components, zip(tables, codes)).map { component, tables in
            Component(
                blocks: component.horizontal * component.vertical, dc: BlockTable.of(tables.0.dc, isDC: true),
                ac: BlockTable.of(tables.0.ac, isDC: false), codes: tables.1.codes)
        }
    }

    /// Copies the bits of a row.
    ///
    /// - Parameters:
    ///   - stuffed: the bytes with the bits, with stuffed zeros.
    ///   - start: the place of the first bit in the first byte.
    ///   - end: the number of bits in the last byte; 0 for all of them.
    /// - Returns: `false` if the first MCU is damaged.
    func copy(
        _ stuffed: Data, from start: Int, endingAt end: Int, _ predictions: [Int], to writer: inout CodeWriter
    ) -> Bool {
        var source = CodeSource(stuffed, at: start)
        let last = source.count - (end == 0 ? 0 : 8 - end)
        var copied = start
        for (component, prediction) in zip(components, predictions) {
            for block in 0..<component.blocks {
                let first = source.bit
                guard let size = source.symbol(component.dc), size <= 11 else { return false }
                if block == 0 {
                    let value = source.number(size) + prediction
                    let category = UInt8(truncatingIfNeeded: Int.bitWidth - abs(value).leadingZeroBitCount)
                    guard let code = component.codes[category] else { return false }
                    writer.append(source, copied..<first)
                    writer.append(code.bits, code.length)
                    // Negative numbers are stored less one (table F.1).
                    let bits = value < 0 ? value - 1 : value
                    writer.append(bits & (1 << Int(category) - 1), Int(category))
                    copied = source.bit
                } else {
                    source.bit += size
                }
                guard source.passCoefficients(component.ac) else { return false }
            }
        }
        guard source.bit <= last else { return false }
        writer.append(source, copied..<last)
        return true
    }
}

/// Coded data without stuffed zeros, of which any bits can be read.
private struct CodeSource {
    private let bytes: [UInt8]
    /// The number of bits.
    let count: Int
    /// The next bit.
    var bit: Int

    init(_ stuffed: Data, at bit: Int) {
        // Zeros follow, so that words are read whole.
        var bytes = [UInt8](repeating: 0, count: stuffed.count + 8)
        var target = bytes.mutableSpan
        let source = stuffed.bytes
        var (length, isStuffed) = (0, false)
        for offset in 0..<source.byteCount {
            let byte = source.byte(at: offset)
            if !isStuffed {
                target[length] = byte
                length += 1
            }
            isStuffed = !isStuffed && byte == 0xFF
        }
        count = length * 8
        self.bytes = bytes
        self.bit = bit
    }

    /// Returns `length` bits, 0 to 32, from `place` on; zeros beyond the end.
    func bits(_ length: Int, at place: Int) -> Int {
        guard place < count else { return 0 }
        let start = place >> 3
        var word: UInt64 = 0
        for byte in bytes[start..<start + 5] { word = word << 8 | UInt64(byte) }
        return Int(truncatingIfNeeded: word >> (40 - place & 7 - length)) & (1 << length - 1)
    }

    mutating func symbol(_ table: BlockTable) -> Int? {
        guard let (symbol, length) = table.content.codes.code(bits(16, at: bit)) else { return nil }
        bit += length
        return symbol
    }

    /// Consumes a signed number of 0 to 11 bits.
    mutating func number(_ size: Int) -> Int {
        guard size > 0 else { return 0 }
        let value = bits(size, at: bit)
        bit += size
        return value < 1 << (size - 1) ? value - 1 << size + 1 : value
    }

    /// Skips the AC coefficients of a block; returns `false` if they are damaged.
    mutating func passCoefficients(_ table: BlockTable) -> Bool {
        var place = 1
        while place < 64 {
            guard let symbol = symbol(table) else { return false }
            if symbol & 15 == 0, symbol != 0xF0 { return true }
            bit += symbol & 15
            place += symbol >> 4 + 1
        }
        return place == 64
    }
}

/// Writes coded data: bits, with stuffed zeros, and markers.
private struct CodeWriter {
    private var bytes: [UInt8]
    private var held = 0
    private var count = 0

    /// - Parameter head: the start of the file.
    init(_ head: Data) { bytes = [UInt8](head) }

    var data: Data { Data(bytes) }

    /// Appends the lowest `length` bits, 0 to 32, of a number; its others are 0.
    mutating func append(_ bits: Int, _ length: Int) {
        held = held << length | bits
        count += length
        while count >= 8 {
            count -= 8
            let byte = UInt8(truncatingIfNeeded: held >> count)
            bytes.append(byte)
            if byte == 0xFF { bytes.append(0) }
        }
        held &= 1 << count - 1
    }

    /// Appends a range of bits.
    mutating func append(_ source: CodeSource, _ range: Range<Int>) {
        var place = range.lowerBound
        while place < range.upperBound {
            let length = min(32, range.upperBound - place)
            append(source.bits(length, at: place), length)
            place += length
        }
    }

    /// Fills the last byte with ones, and appends a marker.
    mutating func mark(_ code: UInt8) {
        if count > 0 { append(1 << (8 - count) - 1, 8 - count) }
        bytes += [0xFF, code]
    }
}
