/// A Huffman table as one piece of memory, for loops without reference counts.
///
/// Codes of up to ten bits, nearly all, need one table lookup; longer ones are found by the first code of each length.
///
/// Layout: 1,024 entries, of which entry `i` is `symbol << 8 | length` of the code that the ten bits `i` begin with, 0
/// for a longer one; for each length from 0 to 16 the first code, the number of codes and the first one's place; the
/// symbols.
///
/// Safety: the owner of `table` outlives this value.
///
/// - Source: ISO/IEC 10918-1 annex C and §F.2.2.3.
struct HuffmanTable {
    static let shortBits = 10
    private static let lengths = 1 << shortBits
    private static let symbols = lengths + 3 * 17

    let table: MaskedTable<11, UInt16>

    /// Returns the content of the table of codes with `counts` of each length from 1 to 16 and these symbols; `nil` if
    /// there are more codes than the bits allow, of which none may be all ones: libjpeg refuses such a table.
    static func content(counts: [UInt8], symbols: [UInt8]) -> [UInt16]? {
        var short = [UInt16](repeating: 0, count: 1 << shortBits)
        var fields: [UInt16] = [0, 0, 0]
        var code = 0
        var place = 0
        for (length, count) in zip(1...16, counts.map { Int($0) }) {
            guard place + count <= symbols.count, count == 0 || code + count < 1 << length else { return nil }
            fields += [code, count, place].map { UInt16(truncatingIfNeeded: $0) }
            if length <= shortBits {
                let spread = shortBits - length
                for index in 0..<count {
                    let entry = UInt16(symbols[place + index]) << 8 | UInt16(truncatingIfNeeded: length)
                    let start = (code + index) << spread
                    for slot in start..<start + (1 << spread) { short[slot] = entry }
                }
            }
            code = (code + count) << 1
            place += count
        }
        return short + fields + symbols.map { UInt16($0) }
    }

    /// Decodes a symbol; -1 if the bits are not a code. At least 16 bits are held.
    @inline(__always)
    func symbol(_ bits: inout CodedBits) -> Int {
        let entry = Int(table[bits.peek(HuffmanTable.shortBits)])
        guard entry != 0 else { return longSymbol(&bits) }
        bits.skip(entry & 0xFF)
        return entry &>> 8
    }

    @inline(never)
    private func longSymbol(_ bits: inout CodedBits) -> Int {
        guard let (symbol, length) = code(bits.peek(16)) else { return -1 }
        bits.skip(length)
        return symbol
    }

    /// Finds the code at the start of `bits`, which has sixteen; `nil` if there is none.
    func code(_ bits: Int) -> (symbol: Int, length: Int)? {
        let entry = Int(table[bits >> (16 - HuffmanTable.shortBits)])
        if entry != 0 { return (entry >> 8, entry & 0xFF) }
        for length in HuffmanTable.shortBits + 1...16 {
            let fields = HuffmanTable.lengths + 3 * length
            let index = bits >> (16 - length) - Int(table[fields])
            guard index < Int(table[fields + 1]) else { continue }
            let place = Int(table[fields + 2]) + index
            guard index >= 0, place < 256 else { return nil }
            return (Int(table[HuffmanTable.symbols + place]), length)
        }
        return nil
    }
}
