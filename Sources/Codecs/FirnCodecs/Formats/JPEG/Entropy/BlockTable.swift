import FirnSync

/// The memory of a ``BlockTable``, for loops without reference counts.
struct FlatBlockTable {
    let codes: HuffmanTable
    /// The entries of a ``ValueTable``.
    let numbers: ValueTable.Memory

    /// Decodes one difference of DC coefficients; `nil` if the bits are not a code.
    @inline(__always)
    func difference(_ bits: inout CodedBits) -> Int? {
        bits.fill()
        let entry = numbers[bits.peek(ValueTable.lookahead)]
        guard entry == 0 else {
            bits.skip(Int(entry & 0xFF))
            return Int(entry &>> 16)
        }
        let size = codes.symbol(&bits)
        return (0...11).contains(size) ? bits.number(size) : nil
    }
}

/// A Huffman table of a scan in the forms that scans read.
///
/// Most cameras write the same tables, and making one takes as long as decoding a thousand blocks, so the last ones of
/// the process are kept.
// Safety: guarded by immutability. All properties are constants, and the memory that they point to is written by the
// initializer alone, before another thread can have the table.
final class BlockTable: @unchecked Sendable {
    private let storage = ReducedStorage()
    let content: FlatBlockTable
    /// The entries of a ``SkipTable``; `nil` in a table of differences.
    let skips: SkipTable.Memory?

    private init(_ codes: [UInt16], isDC: Bool) {
        let table = HuffmanTable(table: storage.table(codes, filler: 0))
        content = FlatBlockTable(
            codes: table, numbers: storage.table(ValueTable.entries(table, isDC: isDC), filler: 0))
        skips = isDC ? nil : storage.table(SkipTable.entries(table), filler: SkipTable.none)
    }

    /// The tables of two kinds of files, two for DC and two for AC coefficients each: 80 KiB.
    private static let differences = RecentValues<[UInt16], BlockTable>(capacity: 4)
    private static let coefficients = RecentValues<[UInt16], BlockTable>(capacity: 4)

    /// - Parameters:
    ///   - codes: the content of the ``HuffmanTable``.
    ///   - isDC: whether the table is one of differences of DC coefficients.
    static func of(_ codes: [UInt16], isDC: Bool) -> BlockTable {
        (isDC ? differences : coefficients).value(for: codes) { BlockTable(codes, isDC: isDC) }
    }
}

/// Tables that skip the AC coefficients of a block: for each value of the next 13 bits, how many bits whole symbols
/// take, and how many coefficients they are.
///
/// Most blocks take one to four lookups, although they have up to 63 coefficients. A table has 16 KiB, so two of them
/// stay in the first-level cache.
///
/// Invariant: an entry is `bits << 8 | coefficients`, with ``endOfBlock`` added to the coefficients if the last symbol
/// ends the block; ``none`` if the first code is longer than 13 bits or invalid. At most 28 bits; fewer than 80
/// coefficients.
///
/// - Source: ISO/IEC 10918-1 §F.1.2.2 (coding of AC coefficients).
enum SkipTable {
    /// The entries, one for each value of ``lookahead`` bits.
    typealias Memory = MaskedTable<13, UInt16>
    static let lookahead = 13
    static let endOfBlock = 128
    /// The entry without symbols. It leads beyond the end of a block and all values of ``endOfBlock`` from any place.
    static let none: UInt16 = 255

    static func entries(_ codes: HuffmanTable) -> [UInt16] {
        (0..<1 << lookahead).map { pattern in
            var used = 0
            var coefficients = 0
            while used < lookahead, coefficients < 64 {
                // The bits after the known ones are 0; a code that needs them is not used.
                let known = lookahead - used
                guard let (symbol, length) = codes.code((pattern << (16 - known)) & 0xFFFF), length <= known else {
                    break
                }
                let bits = symbol & 15
                used += length + bits
                // As in libjpeg, every run without a number ends the block, except the longest run.
                if bits == 0, symbol != 0xF0 {
                    coefficients += endOfBlock
                    break
                }
                coefficients += symbol >> 4 + 1
            }
            return used > 0 ? UInt16(truncatingIfNeeded: used << 8 | coefficients) : none
        }
    }
}

/// Tables that decode a symbol and the number behind it in one step, for each value of the next ten bits.
///
/// Nearly all symbols near the start of a block are so short. A table has 4 KiB.
///
/// Invariant: an entry is `number << 16 | coefficients << 8 | bits`: the signed number, the coefficients that the
/// symbol takes, ``endOfBlock`` if it ends the block, and the bits of both. It is 0 if they are longer than ten bits or
/// invalid.
///
/// - Source: ISO/IEC 10918-1 §F.1.2 (coding of DC differences and AC coefficients), table F.1.
enum ValueTable {
    /// The entries, one for each value of ``lookahead`` bits.
    typealias Memory = MaskedTable<10, Int32>
    static let lookahead = 10
    /// From any place in a block to where no run of zeros leads.
    static let endOfBlock = 128

    /// - Parameter isDC: whether the symbols are the sizes of differences, otherwise runs and sizes.
    static func entries(_ codes: HuffmanTable, isDC: Bool) -> [Int32] {
        (0..<1 << lookahead).map { pattern in
            guard let (symbol, length) = codes.code(pattern << (16 - lookahead)), length <= lookahead else { return 0 }
            let size = isDC ? symbol : symbol & 15
            let bits = length + size
            guard bits <= lookahead else { return 0 }
            let stored = pattern >> (lookahead - bits) & (1 << size - 1)
            // The lower half of the values of that many bits is negative.
            let number = size == 0 || stored >= 1 << (size - 1) ? stored : stored - 1 << size + 1
            let coefficients = isDC || size > 0 || symbol == 0xF0 ? symbol >> 4 + 1 : endOfBlock
            return Int32(truncatingIfNeeded: number << 16 | coefficients << 8 | bits)
        }
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
        var offset = 0
        for (length, count) in zip(1...16, counts.map { Int($0) }) {
            guard offset + count <= symbols.count, count == 0 || code + count < 1 << length else { return nil }
            fields += [code, count, offset].map { UInt16(truncatingIfNeeded: $0) }
            if length <= shortBits {
                let spread = shortBits - length
                for index in 0..<count {
                    let entry = UInt16(symbols[offset + index]) << 8 | UInt16(truncatingIfNeeded: length)
                    let start = (code + index) << spread
                    for slot in start..<start + (1 << spread) { short[slot] = entry }
                }
            }
            code = (code + count) << 1
            offset += count
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
            let offset = Int(table[fields + 2]) + index
            guard index >= 0, offset < 256 else { return nil }
            return (Int(table[HuffmanTable.symbols + offset]), length)
        }
        return nil
    }
}
