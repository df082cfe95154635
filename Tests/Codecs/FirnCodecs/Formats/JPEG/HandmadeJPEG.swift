import FoundationEssentials

/// Writes JPEGs whose only coefficients are DC, byte by byte: progressive ones in scans of any kind, or sequential
/// ones.
///
/// A progressive file without scans of the AC coefficients is incomplete, so libjpeg smooths the edges of its blocks.
///
/// The code of each difference's length has four bits: the length itself.
struct HandmadeJPEG {
    /// One scan: its components, the highest and lowest bit it codes (`high` 0: from the top), and its coefficients. Of
    /// a scan that does not begin with the DC coefficient, all blocks are empty.
    struct Scan {
        var components: [Int]
        var high = 0
        var low = 0
        var coefficients = 0...0
    }

    var width: Int
    var height: Int
    /// The horizontal and vertical sampling factors of each component; three components are red, green and blue.
    var factors: [(Int, Int)] = [(1, 1)]
    /// The identifiers of the components; if `nil`, those that mean red, green and blue for three, 1 to 4 for others.
    var identifiers: [UInt8]?
    /// The color transform of an Adobe segment (0 none, 1 YCbCr, 2 YCCK); `nil` for no segment.
    var adobeTransform: UInt8?
    var step: UInt8 = 8
    var restartInterval = 0
    var scans = [Scan(components: [0])]
    /// True if the file is sequential, with blocks that end after their first coefficient.
    var isSequential = false
    /// Returns the coefficient of a component's block at a column and row.
    var coefficient: (Int, Int, Int) -> Int = { component, column, row in
        (column * 7 + row * 5 + component * 3) % 90 - 40
    }

    private var most: (Int, Int) { (factors.map(\.0).max() ?? 1, factors.map(\.1).max() ?? 1) }

    /// Returns the sample that libjpeg's 1x1 IDCT computes from a coefficient.
    func sample(_ component: Int, _ column: Int, _ row: Int) -> UInt8 {
        UInt8(clamping: (coefficient(component, column, row) * Int(step) + 4) >> 3 + 128)
    }

    var data: Data {
        var bytes: [UInt8] = [0xFF, 0xD8]
        if let adobeTransform { bytes += segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, adobeTransform]) }
        bytes += segment(0xDB, [0] + [UInt8](repeating: step, count: 64))
        let identifiers = identifiers ?? (factors.count == 3 ? [82, 71, 66] : [1, 2, 3, 4])
        var frame: [UInt8] = [8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        frame.append(UInt8(factors.count))
        for (identifier, factor) in zip(identifiers, factors) {
            frame += [identifier, UInt8(factor.0 << 4 | factor.1), 0]
        }
        bytes += segment(isSequential ? 0xC1 : 0xC2, frame)
        // One code of one bit for the end of a block.
        if isSequential || scans.contains(where: { $0.coefficients.lowerBound > 0 }) {
            bytes += segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
        }
        bytes += segment(0xC4, [0, 0, 0, 0, 12] + [UInt8](repeating: 0, count: 12) + Array(0..<12))
        if restartInterval > 0 { bytes += segment(0xDD, [UInt8(restartInterval >> 8), UInt8(restartInterval & 255)]) }
        for scan in scans {
            var header = [UInt8(scan.components.count)]
            for component in scan.components { header += [identifiers[component], 0] }
            let last = isSequential ? 63 : scan.coefficients.upperBound
            header += [UInt8(scan.coefficients.lowerBound), UInt8(last), UInt8(scan.high << 4 | scan.low)]
            bytes += segment(0xDA, header) + coded(scan)
        }
        return Data(bytes + [0xFF, 0xD9])
    }

    private func segment(_ code: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, code, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }

    private func coded(_ scan: Scan) -> [UInt8] {
        var bits = Bits()
        var predictions = [Int](repeating: 0, count: factors.count)
        for (index, mcu) in mcus(scan).enumerated() {
            if restartInterval > 0, index > 0, index % restartInterval == 0 {
                bits.restart(UInt8((index / restartInterval - 1) & 7))
                predictions = predictions.map { _ in 0 }
            }
            for (component, column, row) in mcu {
                if scan.coefficients.lowerBound > 0 {
                    bits.put(0, 1)
                    continue
                }
                let value = coefficient(component, column, row) >> scan.low
                if scan.high > 0 {
                    bits.put(value & 1, 1)
                } else {
                    let difference = value - predictions[component]
                    predictions[component] = value
                    let length = Int.bitWidth - abs(difference).leadingZeroBitCount
                    bits.put(length, 4)
                    bits.put(difference < 0 ? difference + (1 << length) - 1 : difference, length)
                    if isSequential { bits.put(0, 1) }
                }
            }
        }
        return bits.finished
    }

    /// Returns the blocks of each MCU, by component, column and row.
    private func mcus(_ scan: Scan) -> [[(Int, Int, Int)]] {
        if let only = scan.components.first, scan.components.count == 1 {
            let wide = (width * factors[only].0 + 8 * most.0 - 1) / (8 * most.0)
            let high = (height * factors[only].1 + 8 * most.1 - 1) / (8 * most.1)
            return (0..<high).flatMap { row in (0..<wide).map { [(only, $0, row)] } }
        }
        let wide = (width + 8 * most.0 - 1) / (8 * most.0)
        let high = (height + 8 * most.1 - 1) / (8 * most.1)
        return (0..<high).flatMap { row in
            (0..<wide).map { column in
                scan.components.flatMap { component in
                    let (across, down) = factors[component]
                    return (0..<down).flatMap { y in
                        (0..<across).map { (component, column * across + $0, row * down + y) }
                    }
                }
            }
        }
    }

    /// Writes bits, most significant first, with zeros stuffed after bytes of 255.
    struct Bits {
        private var bytes: [UInt8] = []
        private var current = 0
        private var count = 0

        mutating func put(_ value: Int, _ length: Int) {
            for bit in (0..<length).reversed() {
                current = current << 1 | (value >> bit & 1)
                count += 1
                if count == 8 { flush() }
            }
        }

        mutating func restart(_ number: UInt8) {
            pad()
            bytes += [0xFF, 0xD0 + number]
        }

        var finished: [UInt8] {
            var copy = self
            copy.pad()
            return copy.bytes
        }

        private mutating func pad() {
            while count > 0 { put(1, 1) }
        }

        private mutating func flush() {
            bytes.append(UInt8(current))
            if current == 255 { bytes.append(0) }
            current = 0
            count = 0
        }
    }
}
