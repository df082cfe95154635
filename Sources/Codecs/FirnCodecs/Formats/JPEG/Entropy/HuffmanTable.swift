import FoundationEssentials

/// The Huffman codes of a JPEG's coefficients, as a file defines them.
///
/// - Source: ISO/IEC 10918-1 annex C and §F.2.2.3.
struct HuffmanTable {
    /// The most bits of a difference of DC coefficients for samples of 8 bits (table F.1).
    private static let maximumBits = 11

    /// The content of a ``FlatHuffmanTable``.
    let flat: [UInt16]
    /// True if all symbols are valid for DC coefficients of 8-bit samples.
    private let isValidForDC: Bool

    /// Creates a table from the number of codes of each length (1 to 16) and their symbols; `nil` if there are more
    /// codes than the bits allow.
    init?(counts: [UInt8], symbols: [UInt8]) {
        guard counts.count == 16 else { return nil }
        var short = [UInt16](repeating: 0, count: 1 << FlatHuffmanTable.shortBits)
        var lengths: [UInt16] = [0, 0, 0]
        var code = 0
        var place = 0
        for length in 1...16 {
            let count = Int(counts[length - 1])
            guard place + count <= symbols.count, code + count <= 1 << length else { return nil }
            lengths += [code, count, place].map { UInt16(truncatingIfNeeded: $0) }
            if length <= FlatHuffmanTable.shortBits {
                let spread = FlatHuffmanTable.shortBits - length
                for index in 0..<count {
                    let entry = UInt16(symbols[place + index]) << 8 | UInt16(truncatingIfNeeded: length)
                    let start = (code + index) << spread
                    for slot in start..<start + (1 << spread) { short[slot] = entry }
                }
            }
            code = (code + count) << 1
            place += count
        }
        flat = short + lengths + symbols.map { UInt16($0) }
        isValidForDC = symbols.allSatisfy { $0 <= HuffmanTable.maximumBits }
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

/// A Huffman table as one piece of memory, for loops without reference counts.
///
/// Codes of up to ten bits, nearly all, need one table lookup; longer ones are found by the first code of each length.
///
/// Layout: 1,024 entries, of which entry `i` is `symbol << 8 | length` of the code that the ten bits `i` begin with, 0
/// for a longer one; for each length from 0 to 16 the first code, the number of codes and the first one's place; the
/// symbols.
///
/// Safety: the owner of `table` outlives this value.
struct FlatHuffmanTable {
    static let shortBits = 10
    private static let lengths = 1 << shortBits
    private static let symbols = lengths + 3 * 17

    let table: MaskedTable<11, UInt16>

    /// Decodes a symbol; -1 if the bits are not a code. At least 16 bits are held.
    @inline(__always)
    func symbol(_ bits: inout CodedBits) -> Int {
        let entry = Int(table[bits.peek(FlatHuffmanTable.shortBits)])
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
        let entry = Int(table[bits >> (16 - FlatHuffmanTable.shortBits)])
        if entry != 0 { return (entry >> 8, entry & 0xFF) }
        for length in FlatHuffmanTable.shortBits + 1...16 {
            let fields = FlatHuffmanTable.lengths + 3 * length
            let index = bits >> (16 - length) - Int(table[fields])
            guard index < Int(table[fields + 1]) else { continue }
            let place = Int(table[fields + 2]) + index
            guard index >= 0, place < 256 else { return nil }
            return (Int(table[FlatHuffmanTable.symbols + place]), length)
        }
        return nil
    }
}
