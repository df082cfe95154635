import FoundationEssentials

@testable import FirnCodecs

/// Writes sequential JPEGs with random coefficients, with any sampling factors and restart intervals.
///
/// The codes of AC symbols have 2 to 16 bits, so that both short and long ones occur.
struct SequentialJPEG {
    var width = 61
    var height = 45
    /// The horizontal and vertical sampling factors of each component.
    var factors: [(Int, Int)] = [(2, 2), (1, 1), (1, 1)]
    var restartInterval = 0
    /// The number of nonzero coefficients of eight.
    var density = 1
    var seed: UInt64 = 1
    /// The number of rows and columns of a block with coefficients, for each component; 8 if not named.
    var sides: [Int] = []

    /// The AC symbols, by the length of their codes: the end of a block and short runs first.
    private static let symbols: [[UInt8]] = {
        let rest = (0..<16).flatMap { run in (1...10).map { UInt8(run << 4 | $0) } }
        let short: [UInt8] = [0x01, 0x11, 0x02, 0xF0]
        var lengths = [[UInt8]](repeating: [], count: 17)
        lengths[2] = [0]
        for (index, symbol) in short.enumerated() { lengths[3 + index] = [symbol] }
        lengths[11] = [0x03, 0x21, 0x31]
        lengths[16] = rest.filter { !short.contains($0) && !lengths[11].contains($0) }
        return lengths
    }()

    /// The code of each AC symbol and its length.
    private static let codes: [UInt8: (code: Int, length: Int)] = {
        var codes: [UInt8: (code: Int, length: Int)] = [:]
        var code = 0
        for length in 1...16 {
            for symbol in symbols[length] {
                codes[symbol] = (code, length)
                code += 1
            }
            code <<= 1
        }
        return codes
    }()

    var data: Data {
        var bytes: [UInt8] = [0xFF, 0xD8]
        // Low frequencies have small steps, high ones large.
        bytes += segment(0xDB, [0] + (0..<64).map { UInt8(3 + $0 / 3) })
        var frame: [UInt8] = [8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        frame.append(UInt8(factors.count))
        for (index, factor) in factors.enumerated() { frame += [UInt8(index + 1), UInt8(factor.0 << 4 | factor.1), 0] }
        bytes += segment(0xC0, frame)
        bytes += segment(0xC4, [0, 0, 0, 0, 12] + [UInt8](repeating: 0, count: 12) + Array(0..<12))
        let counts = SequentialJPEG.symbols.dropFirst().map { UInt8($0.count) }
        bytes += segment(0xC4, [0x10] + counts + SequentialJPEG.symbols.flatMap { $0 })
        if restartInterval > 0 { bytes += segment(0xDD, [UInt8(restartInterval >> 8), UInt8(restartInterval & 255)]) }
        var header = [UInt8(factors.count)]
        for index in factors.indices { header += [UInt8(index + 1), 0] }
        bytes += segment(0xDA, header + [0, 63, 0]) + coded
        return Data(bytes + [0xFF, 0xD9])
    }

    private func segment(_ code: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, code, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }

    private var coded: [UInt8] {
        var random = seed
        func next(_ bound: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(random >> 33) % bound
        }
        let isSingle = factors.count == 1
        let across = isSingle ? 1 : factors.map(\.0).max() ?? 1
        let down = isSingle ? 1 : factors.map(\.1).max() ?? 1
        let count = ((width + 8 * across - 1) / (8 * across)) * ((height + 8 * down - 1) / (8 * down))
        var bits = HandmadeJPEG.Bits()
        var predictions = [Int](repeating: 0, count: factors.count)
        for mcu in 0..<count {
            if restartInterval > 0, mcu > 0, mcu % restartInterval == 0 {
                bits.restart(UInt8((mcu / restartInterval - 1) & 7))
                predictions = predictions.map { _ in 0 }
            }
            for component in factors.indices {
                for _ in 0..<(isSingle ? 1 : factors[component].0 * factors[component].1) {
                    let value = next(400) - 200
                    put(value - predictions[component], &bits) { length, bits in bits.put(length, 4) }
                    predictions[component] = value
                    putCoefficients(side: component < sides.count ? sides[component] : 8, next, &bits)
                }
            }
        }
        return bits.finished
    }

    private func put(
        _ value: Int, _ bits: inout HandmadeJPEG.Bits, symbol: (Int, inout HandmadeJPEG.Bits) -> Void
    ) {
        let length = Int.bitWidth - abs(value).leadingZeroBitCount
        symbol(length, &bits)
        bits.put(value < 0 ? value + (1 << length) - 1 : value, length)
    }

    private func putCoefficients(side: Int, _ next: (Int) -> Int, _ bits: inout HandmadeJPEG.Bits) {
        var run = 0
        for place in 1..<64 {
            let isLast = place == 63
            let (row, column) = ZigzagOrder.places[place]
            guard row < side, column < side, next(8) < density, !(isLast && next(2) == 0) else {
                run += 1
                continue
            }
            while run > 15 {
                put(symbol: 0xF0, &bits)
                run -= 16
            }
            let size = next(8) == 0 ? 1 + next(6) : 1
            let value = (next(2) == 0 ? -1 : 1) * ((1 << (size - 1)) + next(1 << (size - 1)))
            put(value, &bits) { length, bits in put(symbol: UInt8(run << 4 | length), &bits) }
            run = 0
        }
        if run > 0 { put(symbol: 0, &bits) }
    }

    private func put(symbol: UInt8, _ bits: inout HandmadeJPEG.Bits) {
        guard let code = SequentialJPEG.codes[symbol] else { return }
        bits.put(code.code, code.length)
    }
}
