import FirnSync

/// The pointers of a ``BlockTable``, for loops without reference counts.
struct FlatBlockTable {
    let codes: FlatHuffmanTable
    /// The entries of a ``ValueTable``.
    let numbers: UnsafePointer<Int32>
    /// The entries of a ``SkipTable``; in a table of differences, `codes`, which nothing reads as such.
    let skips: UnsafePointer<UInt16>
}

/// A Huffman table of a scan in the forms that ``BlockCoding`` reads.
///
/// Most cameras write the same tables, and making one takes as long as decoding a thousand blocks, so the last ones of
/// the process are kept.
// Safety: guarded by immutability. All properties are constants, and the memory that they point to is written by the
// initializer alone, before another thread can have the table.
final class BlockTable: @unchecked Sendable {
    private let storage = ReducedStorage()
    let content: FlatBlockTable

    private init?(_ table: HuffmanTable, _ flat: [UInt16], isDC: Bool) {
        guard let base = storage.copy(flat).baseAddress,
            let numbers = storage.copy(ValueTable.entries(table, isDC: isDC)).baseAddress,
            let skips = isDC ? base : storage.copy(SkipTable.entries(table)).baseAddress
        else { return nil }
        content = FlatBlockTable(codes: FlatHuffmanTable(base: base), numbers: numbers, skips: skips)
    }

    private struct Key: Equatable {
        let flat: [UInt16]
        let isDC: Bool
    }

    /// The four tables of two kinds of files: 80 KiB.
    private static let known = RecentValues<Key, BlockTable?>(capacity: 8)

    /// - Parameter isDC: whether the table is one of differences of DC coefficients.
    static func of(_ table: HuffmanTable, isDC: Bool) -> BlockTable? {
        let flat = table.flat
        return known.value(for: Key(flat: flat, isDC: isDC)) { BlockTable(table, flat, isDC: isDC) }
    }
}
