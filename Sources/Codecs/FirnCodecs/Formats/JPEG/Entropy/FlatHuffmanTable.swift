/// A Huffman table as one piece of memory, for loops without reference counts.
///
/// Layout: 1,024 entries as in ``HuffmanTable/short``; for each length from 0 to 16 the first code, the number of codes
/// and the first one's place; the symbols.
///
/// Safety: the owner of `table` outlives this value.
struct FlatHuffmanTable {
    let table: MaskedTable<11, UInt16>

    private static let lengths = 1 << HuffmanTable.shortBits
    private static let symbols = lengths + 3 * 17

    /// Decodes a symbol; -1 if the bits are not a code. At least 16 bits are held.
    @inline(__always)
    func symbol(_ bits: inout CodedBits) -> Int {
        let entry = Int(table[bits.peek(HuffmanTable.shortBits)])
        guard entry != 0 else { return longSymbol(&bits) }
        bits.skip(entry & 0xFF)
        return entry &>> 8
    }

    @inline(never)
    func longSymbol(_ bits: inout CodedBits) -> Int {
        let next = bits.peek(16)
        for length in HuffmanTable.shortBits + 1...16 {
            let fields = FlatHuffmanTable.lengths + 3 * length
            let index = next >> (16 - length) - Int(table[fields])
            guard index < Int(table[fields + 1]) else { continue }
            let place = Int(table[fields + 2]) + index
            guard index >= 0, place < 256 else { return -1 }
            bits.skip(length)
            return Int(table[FlatHuffmanTable.symbols + place])
        }
        return -1
    }
}

extension HuffmanTable {
    /// The content of a ``FlatHuffmanTable``.
    var flat: [UInt16] {
        var flat = short
        for length in 0...16 {
            let count = endCode[length] - firstCode[length]
            flat += [
                UInt16(truncatingIfNeeded: firstCode[length]), UInt16(truncatingIfNeeded: count),
                UInt16(truncatingIfNeeded: firstPlace[length]),
            ]
        }
        return flat + symbols.prefix(256).map { UInt16($0) }
    }
}
