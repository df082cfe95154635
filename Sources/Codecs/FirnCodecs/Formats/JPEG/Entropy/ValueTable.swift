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
