import FirnImage
import FoundationEssentials

/// A smaller JPEG of those restart intervals that a part of an image needs.
///
/// Its pixels are those of the image: it has the same tables, and it holds one more MCU than the part on each side, so
/// that chroma is interpolated from the same samples.
struct RestartPart {
    /// The file.
    let data: Data
    /// The part's place in it.
    let area: PixelArea

    /// The intervals to take, as columns and rows of the grid of intervals.
    private struct Choice {
        var columns: ClosedRange<Int>
        var rows: ClosedRange<Int>

        init(_ area: PixelArea, _ index: RestartIndex) {
            let left = max(0, area.x / index.mcuWidth - 1)
            let right = min(index.mcusWide - 1, (area.x + area.size.width - 1) / index.mcuWidth + 1)
            let top = max(0, area.y / index.mcuHeight - 1)
            let bottom = min(index.mcusHigh - 1, (area.y + area.size.height - 1) / index.mcuHeight + 1)
            let perRow = index.intervalsPerRow
            columns = perRow == 1 ? 0...0 : left / index.interval...right / index.interval
            rows = top / index.rowsPerInterval...bottom / index.rowsPerInterval
        }
    }

    /// Copies the intervals for `area`, which lies in the image.
    ///
    /// - Returns: `nil` if the index does not reach that far, or most of the codes up to there are needed anyway.
    init?(_ area: PixelArea, _ index: inout RestartIndex, _ chain: ByteChain) throws(ImageDecodingError) {
        let choice = Choice(area, index)
        let perRow = index.intervalsPerRow
        let last = choice.rows.upperBound * perRow + choice.columns.upperBound
        guard choice.columns.count * choice.rows.count * 2 <= last + 1,
            try index.extend(to: last + 1, in: chain)
        else { return nil }
        // The sides of an interval in pixels; the last one of a side may be cut off by the image's edge.
        let width = perRow == 1 ? index.frame.width : index.interval * index.mcuWidth
        let height = index.rowsPerInterval * index.mcuHeight
        let x = choice.columns.lowerBound * width
        let y = choice.rows.lowerBound * height
        let size = PixelSize(
            width: min(index.frame.width, (choice.columns.upperBound + 1) * width) - x,
            height: min(index.frame.height, (choice.rows.upperBound + 1) * height) - y)
        var data = Data([0xFF, JPEGMarker.startOfImage]) + index.tables.before
        var frame = [UInt8](index.tables.frame)
        // Bound: the sides are at most those of the frame, and the segment was parsed.
        frame.replaceSubrange(1..<5, with: size.height.bigEndianBytes(2) + size.width.bigEndianBytes(2))
        data += JPEGMarker.segment(index.tables.frameCode, frame) + index.tables.after
        var number: UInt8 = 0
        for row in choice.rows {
            for column in choice.columns {
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
}
