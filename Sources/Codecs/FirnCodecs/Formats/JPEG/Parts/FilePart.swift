import FirnImage
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
    init?(_ area: PixelArea, _ index: inout RestartIndex, _ chain: ByteChain) throws(ImageDecodingError) {
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
}
