import FoundationEssentials

/// The Huffman codes of a JPEG's coefficients.
///
/// Codes of up to ten bits, nearly all, need one table lookup; longer ones are found by the first code of each length.
///
/// Invariant: `short[i]` is `symbol << 8 | length` of the code that the ten bits `i` begin with, 0 for a longer one.
///
/// - Source: ISO/IEC 10918-1 annex C and §F.2.2.3.
struct HuffmanTable {
    static let shortBits = 10
    /// The most bits of a difference of DC coefficients for samples of 8 bits (table F.1).
    private static let maximumBits = 11

    private(set) var short = [UInt16](repeating: 0, count: 1 << HuffmanTable.shortBits)
    /// For each length from 0 to 16: the first code, one more than the last, and the first one's index in `symbols`.
    private(set) var firstCode = [Int](repeating: 0, count: 17)
    private(set) var endCode = [Int](repeating: 0, count: 17)
    private(set) var firstPlace = [Int](repeating: 0, count: 17)
    let symbols: [UInt8]

    /// Creates a table from the number of codes of each length (1 to 16) and their symbols; `nil` if there are more
    /// codes than the bits allow.
    init?(counts: [UInt8], symbols: [UInt8]) {
        guard counts.count == 16 else { return nil }
        self.symbols = symbols
        var code = 0
        var place = 0
        for length in 1...16 {
            let count = Int(counts[length - 1])
            firstCode[length] = code
            firstPlace[length] = place
            guard place + count <= symbols.count, code + count <= 1 << length else { return nil }
            if length <= HuffmanTable.shortBits {
                let spread = HuffmanTable.shortBits - length
                for index in 0..<count {
                    let entry = UInt16(symbols[place + index]) << 8 | UInt16(truncatingIfNeeded: length)
                    let start = (code + index) << spread
                    for slot in start..<start + (1 << spread) { short[slot] = entry }
                }
            }
            code += count
            place += count
            endCode[length] = code
            code <<= 1
        }
    }

    /// True if all symbols are valid for DC coefficients of 8-bit samples.
    private var isValidForDC: Bool { symbols.allSatisfy { $0 <= HuffmanTable.maximumBits } }

    /// Finds the code at the start of `bits`, which has sixteen; `nil` if there is none.
    func code(_ bits: Int) -> (symbol: Int, length: Int)? {
        let entry = Int(short[bits >> (16 - HuffmanTable.shortBits)])
        return entry != 0 ? (entry >> 8, entry & 0xFF) : long(bits)
    }

    /// Finds the code longer than ten bits at the start of `bits`, which has sixteen; `nil` if there is none.
    func long(_ bits: Int) -> (symbol: Int, length: Int)? {
        for length in HuffmanTable.shortBits + 1...16 {
            let code = bits >> (16 - length)
            guard code < endCode[length] else { continue }
            guard code >= firstCode[length] else { return nil }
            return (Int(symbols[firstPlace[length] + code - firstCode[length]]), length)
        }
        return nil
    }

    /// Reads the tables of a DHT segment into `dc` and `ac`, which have four each; returns `false` if the segment is
    /// damaged.
    static func read(_ segment: Data, dc: inout [HuffmanTable?], ac: inout [HuffmanTable?]) -> Bool {
        let bytes = [UInt8](segment)
        var offset = 0
        while offset < bytes.count {
            guard bytes.count - offset >= 17 else { return false }
            let slot = Int(bytes[offset] & 15)
            let kind = bytes[offset] >> 4
            let counts = Array(bytes[offset + 1..<offset + 17])
            let total = counts.reduce(0) { $0 + Int($1) }
            offset += 17
            guard total <= 256, total <= bytes.count - offset, slot < min(dc.count, ac.count),
                let table = HuffmanTable(counts: counts, symbols: Array(bytes[offset..<offset + total]))
            else { return false }
            if kind == 0 {
                guard table.isValidForDC else { return false }
                dc[slot] = table
            } else {
                ac[slot] = table
            }
            offset += total
        }
        return true
    }
}
