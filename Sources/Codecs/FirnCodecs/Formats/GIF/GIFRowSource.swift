/// Decodes the pixels of one frame of a GIF.
///
/// Decodes indices into a strip and converts them to colors. Each row of an interlaced frame also fills the rows below
/// it that have not arrived.
///
/// - Source: GIF89a specification §20 and appendix E (the order of interlaced rows).
final class GIFRowSource: RowSource {
    /// The indices decoded at once: a strip that stays in the CPU cache.
    private static let indicesAtOnce = 64 << 10
    /// The first row, the distance of rows, and the number of rows that each fills, for the four passes.
    private static let passes = [(first: 0, step: 8, fills: 8), (4, 8, 4), (2, 4, 2), (1, 2, 1)]

    let size: PixelSize
    let layout: SampleLayout
    let isWhole: Bool
    private let decoder: LZWDecoder
    /// 256 colors of four bytes, the first byte lowest.
    private let palette: [UInt32]
    private var offset: Int
    private var indices: [UInt8]
    /// The number of indices of an incomplete row.
    private var waiting = 0
    /// The number of rows done, in stored order.
    private var stored = 0

    /// - Parameter offset: the start of the sub-blocks.
    init(
        _ frame: GIFFrame, layout: SampleLayout, palette: [UInt32], decoder: LZWDecoder, offset: Int
    ) {
        size = frame.stored.size
        isWhole = frame.isInterlaced
        self.layout = layout
        self.palette = palette
        self.decoder = decoder
        self.offset = offset
        // Both sides are below 2^16.
        let rows = max(1, min(size.height, GIFRowSource.indicesAtOnce / max(1, size.width)))
        indices = [UInt8](repeating: 0, count: size.width * rows)
    }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        let left = size.height - stored
        guard left > 0, memory.rows > 0, size.width > 0 else {
            return RowProgress(rows: isWhole ? size.height : 0, state: .end)
        }
        let count = min(left, memory.rows, indices.count / size.width)
        let (unpacked, outcome) = unpack(chain, count * size.width)
        let done = (waiting + unpacked) / size.width
        write(done, to: memory)
        waiting = waiting + unpacked - done * size.width
        if done > 0, waiting > 0 {
            let tail = done * size.width
            indices.replaceSubrange(0..<waiting, with: Array(indices[tail..<tail + waiting]))
        }
        let progress = isWhole ? completeRows : done
        if stored == size.height { return RowProgress(rows: isWhole ? size.height : done, state: .end) }
        switch outcome {
        case .full: return RowProgress(rows: progress, state: .more)
        case .needsBytes where !chain.isFinished: return RowProgress(rows: progress, state: .needsBytes)
        // Order: decoded rows are returned first; the next call throws the error.
        case _ where done > 0: return RowProgress(rows: progress, state: .more)
        case .damaged: throw .data("damaged in row \(stored) of \(size.height)")
        default: throw .data("cut short after row \(stored) of \(size.height)")
        }
    }

    /// Decodes indices up to `end` of the strip, after those of an incomplete row.
    private func unpack(_ chain: ByteChain, _ end: Int) -> (indices: Int, outcome: LZWDecoder.Outcome) {
        var strip = indices.mutableSpan
        var bytes = strip.mutableBytes
        return decoder.read(chain, at: &offset, into: &bytes, waiting..<end)
    }

    /// Writes the first `count` rows of the strip to their places.
    private func write(_ count: Int, to memory: RowMemory) {
        let indices = indices
        for row in 0..<count {
            let target = isWhole ? interlaced(stored + row) : (y: row, fills: 1)
            color(indices.span.extracting(row * size.width..<(row + 1) * size.width), to: memory.row(target.y))
            for copy in 1..<max(1, target.fills) { memory.copyRow(target.y, to: target.y + copy) }
        }
        stored += count
    }

    /// Writes the colors of one row; does nothing if `row` has no room for them.
    private func color(_ indices: Span<UInt8>, to row: UnsafeMutableRawBufferPointer) {
        let palette = palette
        let colors = palette.span
        guard colors.count == 256 else { return }
        var pixels = row.mutableBytes
        guard pixels.byteCount >= indices.count * layout.bytesPerPixel else { return }
        if layout.bytesPerPixel == 4 {
            for x in indices.indices {
                pixels.storeBytes(of: colors[Int(indices[x])].littleEndian, toByteOffset: x &* 4, as: UInt32.self)
            }
        } else {
            for x in indices.indices {
                let color = colors[Int(indices[x])]
                let at = x &* 3
                let low = UInt16(truncatingIfNeeded: color)
                pixels.storeBytes(of: low.littleEndian, toByteOffset: at, as: UInt16.self)
                pixels.storeBytes(of: UInt8(truncatingIfNeeded: color &>> 16), toByteOffset: at &+ 2, as: UInt8.self)
            }
        }
    }

    /// Returns the place of a stored row of an interlaced frame, and how many rows it fills for now.
    private func interlaced(_ row: Int) -> (y: Int, fills: Int) {
        var left = row
        for (first, step, fills) in GIFRowSource.passes {
            let count = (size.height - first + step - 1) / step
            if left < count { return (first + left * step, fills) }
            left -= count
        }
        return (size.height - 1, 1)
    }

    /// The number of rows from the top that are final: in the last pass, all above the row written last.
    private var completeRows: Int {
        let inLastPass = max(0, stored - (size.height + 1) / 2)
        return stored == size.height ? stored : inLastPass * 2
    }
}
