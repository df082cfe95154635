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
