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

    private init(_ key: Key) {
        let codes = HuffmanTable(table: storage.table(key.codes, filler: 0))
        content = FlatBlockTable(
            codes: codes, numbers: storage.table(ValueTable.entries(codes, isDC: key.isDC), filler: 0))
        skips = key.isDC ? nil : storage.table(SkipTable.entries(codes), filler: SkipTable.none)
    }

    private struct Key: Equatable {
        let codes: [UInt16]
        let isDC: Bool
    }

    /// The four tables of two kinds of files: 80 KiB.
    private static let known = RecentValues<Key, BlockTable>(capacity: 8)

    /// - Parameters:
    ///   - codes: the content of the ``HuffmanTable``.
    ///   - isDC: whether the table is one of differences of DC coefficients.
    static func of(_ codes: [UInt16], isDC: Bool) -> BlockTable {
        let key = Key(codes: codes, isDC: isDC)
        return known.value(for: key) { BlockTable(key) }
    }
}
