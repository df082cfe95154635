/// Inflates the start of a gzip file to recognize its content, without a library.
///
/// - Source: RFC 1952 §2.3 (header), RFC 1951 §3.2 (blocks and codes).
struct GzipHead {
    private let bytes: [UInt8]
    private var index = 0
    private var buffer: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []
    private let limit: Int

    /// The bytes end, or are damaged.
    private struct End: Error {}

    /// Returns whether a file starts with a gzip member compressed by deflate.
    static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B, 8]) }

    /// Returns at most `limit` bytes of the content, fewer if `bytes` is truncated or damaged.
    static func content(of bytes: [UInt8], limit: Int) -> [UInt8] {
        var head = GzipHead(bytes: bytes, limit: limit)
        do throws(End) {
            try head.skipHeader()
            while try !head.inflateBlock(), head.output.count < limit { continue }
        } catch {}
        return head.output
    }

    private mutating func byte() throws(End) -> UInt8 {
        guard index < bytes.count else { throw End() }
        defer { index += 1 }
        return bytes[index]
    }

    private mutating func skipHeader() throws(End) {
        index = 3
        let flags = try byte()
        index += 6
        if flags & 4 != 0 {
            let (low, high) = (try byte(), try byte())
            index += Int(low) | Int(high) << 8
        }
        for flag in [8, 16] as [UInt8] where flags & flag != 0 { while try byte() != 0 { continue } }
        if flags & 2 != 0 { index += 2 }
    }

    /// Returns the next `count` bits, at most 16, least significant bit first.
    private mutating func bits(_ count: Int) throws(End) -> Int {
        while bitCount < count {
            buffer |= UInt32(try byte()) << bitCount
            bitCount += 8
        }
        let value = Int(buffer & ((1 as UInt32) << count - 1))
        buffer >>= count
        bitCount -= count
        return value
    }

    /// Inflates a block and returns whether it was the last one.
    private mutating func inflateBlock() throws(End) -> Bool {
        let isLast = try bits(1) == 1
        switch try bits(2) {
        case 0: try copyStored()
        case 1: try inflate(GzipHead.fixed.literals, GzipHead.fixed.distances)
        case 2:
            let codes = try readCodes()
            try inflate(codes.literals, codes.distances)
        default: throw End()
        }
        return isLast
    }

    private mutating func copyStored() throws(End) {
        (buffer, bitCount) = (0, 0)
        let count = Int(try byte()) | Int(try byte()) << 8
        index += 2
        for _ in 0..<count where output.count < limit { output.append(try byte()) }
    }

    private mutating func inflate(_ literals: PrefixCode, _ distances: PrefixCode) throws(End) {
        while output.count < limit {
            let symbol = try symbol(of: literals)
            if symbol < 256 {
                output.append(UInt8(truncatingIfNeeded: symbol))
                continue
            }
            if symbol == 256 { return }
            guard symbol - 257 < GzipHead.lengths.count else { throw End() }
            let (base, extra) = GzipHead.lengths[symbol - 257]
            let length = base + (try bits(extra))
            let number = try self.symbol(of: distances)
            guard number < 30 else { throw End() }
            let more = max(0, number / 2 - 1)
            let distance = (number < 4 ? number : (2 + number % 2) << more) + 1 + (try bits(more))
            guard distance <= output.count else { throw End() }
            for _ in 0..<length where output.count < limit { output.append(output[output.count - distance]) }
        }
    }

    private mutating func readCodes() throws(End) -> (literals: PrefixCode, distances: PrefixCode) {
        let literals = try bits(5) + 257
        let distances = try bits(5) + 1
        let count = try bits(4) + 4
        var lengths = [Int](repeating: 0, count: 19)
        for place in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].prefix(count) {
            lengths[place] = try bits(3)
        }
        let code = PrefixCode(lengths[...])
        lengths = []
        while lengths.count < literals + distances {
            let symbol = try symbol(of: code)
            switch symbol {
            case 0..<16: lengths.append(symbol)
            case 16:
                guard let last = lengths.last else { throw End() }
                lengths += Array(repeating: last, count: try bits(2) + 3)
            case 17: lengths += Array(repeating: 0, count: try bits(3) + 3)
            default: lengths += Array(repeating: 0, count: try bits(7) + 11)
            }
        }
        return (PrefixCode(lengths[..<literals]), PrefixCode(lengths[literals..<(literals + distances)]))
    }

    private mutating func symbol(of code: PrefixCode) throws(End) -> Int {
        var (value, first, place) = (0, 0, 0)
        for length in 1..<16 {
            value = value << 1 | (try bits(1))
            let count = code.counts[length]
            if value - first < count { return code.symbols[place + value - first] }
            place += count
            first = (first + count) << 1
        }
        throw End()
    }

    /// A canonical Huffman code.
    private struct PrefixCode {
        /// The number of codes of each length.
        var counts = [Int](repeating: 0, count: 16)
        /// The symbols, by length and value of their codes.
        var symbols: [Int] = []

        init(_ lengths: ArraySlice<Int>) {
            for length in 1..<16 {
                for (symbol, own) in lengths.enumerated() where own == length { symbols.append(symbol) }
                counts[length] = symbols.count - counts[..<length].reduce(0, +)
            }
        }
    }

    private static let fixed = (
        literals: PrefixCode(
            (0..<288).map { symbol -> Int in symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8 }[...]),
        distances: PrefixCode([Int](repeating: 5, count: 30)[...])
    )

    /// Base and extra bits of match lengths.
    private static let lengths: [(base: Int, extra: Int)] =
        (0..<28).map { number in
            let more = max(0, number / 4 - 1)
            return ((number < 4 ? number : (4 + number % 4) << more) + 3, more)
        } + [(258, 0)]
}
