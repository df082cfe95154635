/// The Huffman tables of a scan in the forms that ``BlockCoding`` reads. Components usually share tables, whose making
/// takes time, so equal ones are made once.
struct BlockTables {
    /// A table of differences: its codes, and the entries of a ``ValueTable``.
    struct Differences {
        let codes: FlatHuffmanTable
        let numbers: UnsafePointer<Int32>
    }

    /// A table of coefficients: its codes, the entries of a ``ValueTable``, and those of a ``SkipTable``.
    struct Coefficients {
        let codes: FlatHuffmanTable
        let numbers: UnsafePointer<Int32>
        let skips: UnsafePointer<UInt16>
    }

    private let storage: ReducedStorage
    private var differences: [(codes: [UInt16], made: Differences)] = []
    private var coefficients: [(codes: [UInt16], made: Coefficients)] = []

    /// - Parameter storage: owns the memory of the tables.
    init(_ storage: ReducedStorage) { self.storage = storage }

    mutating func differences(_ table: HuffmanTable) -> Differences? {
        let codes = table.flat
        if let known = differences.first(where: { $0.codes == codes }) { return known.made }
        guard let base = storage.copy(codes).baseAddress,
            let numbers = storage.copy(ValueTable.entries(table, isDC: true)).baseAddress
        else { return nil }
        let made = Differences(codes: FlatHuffmanTable(base: base), numbers: numbers)
        differences.append((codes, made))
        return made
    }

    mutating func coefficients(_ table: HuffmanTable) -> Coefficients? {
        let codes = table.flat
        if let known = coefficients.first(where: { $0.codes == codes }) { return known.made }
        guard let base = storage.copy(codes).baseAddress,
            let numbers = storage.copy(ValueTable.entries(table, isDC: false)).baseAddress,
            let skips = storage.copy(SkipTable.entries(table)).baseAddress
        else { return nil }
        let made = Coefficients(codes: FlatHuffmanTable(base: base), numbers: numbers, skips: skips)
        coefficients.append((codes, made))
        return made
    }
}
