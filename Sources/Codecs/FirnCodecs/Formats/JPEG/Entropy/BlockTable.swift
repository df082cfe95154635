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
