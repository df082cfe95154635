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
