import FoundationEssentials

/// Places in the coded data of a sequential JPEG without restart markers at which decoding can begin: the start of each
/// row of MCUs, and every 16 MCUs in it.
///
/// An entry has 14 bytes, least significant first: the place of the first bit in the file, eight times the offset of
/// its byte plus its place in that; for each of three components the DC coefficient of the block before. The last
/// entry is the place after the last MCU. An image of 100 megapixels has 25,000 entries.
///
/// - Source: ISO/IEC 10918-1 §F.1.1.5 (prediction of DC coefficients).
struct CodedIndex {
    /// The MCUs of an interval. The last one of a row may have fewer.
    static let interval = 16
    private static let bytesOfEntry = 14

    /// The intervals of a row.
    let intervalsPerRow: Int
    private let data: Data

    /// - Returns: `nil` if the data are those of an image of another size.
    init?(_ data: Data, of frame: JPEGFrame) {
        guard data.count == CodedIndex.byteCount(frame) else { return nil }
        intervalsPerRow = CodedIndex.intervalsPerRow(frame.mcusWide)
        self.data = data
    }

    /// The bytes of the index of an image.
    static func byteCount(_ frame: JPEGFrame) -> Int {
        (intervalsPerRow(frame.mcusWide) * frame.mcusHigh + 1) * bytesOfEntry
    }

    static func intervalsPerRow(_ mcusWide: Int) -> Int { (mcusWide + interval - 1) / interval }

    /// The place of an interval; after the last one, that of the end.
    func place(_ number: Int) -> Int { data.little(number * CodedIndex.bytesOfEntry, 7) }

    /// The DC coefficients that an interval's first blocks are coded as differences from.
    func predictions(_ number: Int) -> [Int] {
        (0..<3).map { component in
            Int(Int16(truncatingIfNeeded: data.little(number * CodedIndex.bytesOfEntry + 8 + 2 * component, 2)))
        }
    }
}

/// Makes a ``CodedIndex`` of the places that a scan passes.
final class CodedIndexBuilder {
    private var bytes: [UInt8] = []
    private var count = 0
    /// True if a place was not known.
    private var isLost = false
    private var isComplete = false

    /// The index; `nil` unless the scan reached its end in regular order.
    var index: Data? { isComplete ? Data(bytes) : nil }

    /// Takes the place before the next MCU, if an interval begins there.
    ///
    /// - Returns: the number of the MCU at which the next interval begins.
    func note(_ walk: MCUWalk, _ predictions: BlockCoding.Predictions) -> Int {
        let row = walk.mcu / walk.width
        let column = walk.mcu - row * walk.width
        let number = row * CodedIndex.intervalsPerRow(walk.width) + column / CodedIndex.interval
        if number == count, column % CodedIndex.interval == 0 { append(walk.place, predictions) }
        return row * walk.width + min((column / CodedIndex.interval + 1) * CodedIndex.interval, walk.width)
    }

    /// Takes the place after the last MCU.
    func complete(_ walk: MCUWalk) {
        append(walk.endPlace, nil)
        isComplete = !isLost
    }

    private func append(_ place: Int?, _ predictions: BlockCoding.Predictions?) {
        isLost = isLost || place == nil
        append(place ?? 0, count: 8)
        for component in 0..<3 { append(predictions?[component] ?? 0, count: 2) }
        count += 1
    }

    private func append(_ number: Int, count: Int) {
        for shift in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }
}
