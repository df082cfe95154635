/// Decodes one block of each MCU to its samples.
///
/// Safety: tables and samples are memory of an ``ReducedStorage``, which outlives this value. They check each place.
struct BlockCoding {
    let dc: FlatBlockTable
    let ac: FlatBlockTable
    /// The entries of a ``SkipTable`` for `ac`.
    let skips: SkipTable.Memory
    /// The coefficients, in the order of the file; see ``Coefficient``.
    let coefficients: Coefficients
    /// For each component the value of the DC coefficient in the block before. A block for another thread has this
    /// memory and that of `values` for itself.
    var predictions: Predictions
    let component: Int
    /// The samples of the component.
    let samples: SampleRows
    /// The place of the block's first sample in the first MCU.
    let start: Int
    /// The samples from one MCU to the next, across and down.
    let across: Int
    let down: Int
    /// The samples of the block, across and down: 1, 2 or 4.
    let parts: Int
    /// Room for 25 coefficients, all 0 between calls, and an unused slot.
    var values: Values
    /// The number of coefficients, in the order of the file, that are decoded; others are skipped. 64 for
    /// ``QuarterBlock``, fewer for ``LowBlock``.
    let count: Int

    /// As many as an entry of a ``ValueTable`` may lead to, beyond the end of a block.
    typealias Coefficients = MaskedTable<8, Coefficient>
    typealias Predictions = MaskedTable<2, Int>
    typealias Values = MaskedTable<5, Int32>

    /// A coefficient's quantization step, and where it belongs in `values`; see ``QuarterBlock/places`` and
    /// ``LowBlock/places(parts:)``.
    struct Coefficient: BitwiseCopyable {
        private let packed: Int32

        init(step: Int32, slot: Int) {
            packed = step << 8 | Int32(truncatingIfNeeded: slot)
        }

        @inline(__always)
        var step: Int { Int(packed &>> 8) }
        @inline(__always)
        var slot: Int { Int(packed & 0xFF) }
    }

    /// The slot of coefficients that are not used.
    static let unusedSlot = 25

    /// Decodes the block in the MCU at `column` and `row` at an eighth; returns `false` if it is damaged.
    @inline(__always)
    func decodeEighth(_ bits: inout CodedBits, column: Int, row: Int) -> Bool {
        guard let first = mean(&bits) else { return false }
        let index = start &+ row &* down &+ column &* across
        guard parts == 1 else { return decodeFour(&bits, first, at: index) }
        return samples.write(BlockCoding.sample(first), at: index) && passCoefficients(&bits, from: 1)
    }

    /// Decodes the block in the MCU at `column` and `row` at a quarter; returns `false` if it is damaged.
    @inline(__always)
    func decodeQuarter(_ bits: inout CodedBits, column: Int, row: Int) -> Bool {
        guard let first = mean(&bits) else { return false }
        let index = start &+ row &* down &+ column &* across
        return parts == 2 ? decodeFour(&bits, low: first, at: index) : decodeSixteen(&bits, first, at: index)
    }

    /// Decodes the DC coefficient and dequantizes it; `nil` if it is invalid.
    @inline(__always)
    private func mean(_ bits: inout CodedBits) -> Int? {
        guard let change = dc.difference(&bits) else { return nil }
        let value = predictions[component] &+ change
        guard value >= -32_768, value <= 32_767 else { return nil }
        predictions[component] = value
        return value &* coefficients[0].step
    }

    /// Returns the result of libjpeg's 1 x 1 inverse DCT, which looks at ten bits: values of damaged files wrap.
    @inline(__always)
    private static func sample(_ coefficient: Int) -> UInt8 {
        let value = (coefficient &+ 4) &>> 3
        return UInt8(clamping: (value &<< 54) &>> 54 &+ 128)
    }

    /// Skips the AC coefficients from `first` on; returns `false` if they are damaged. At least 28 bits are held.
    @inline(__always)
    private func passCoefficients(_ bits: inout CodedBits, from first: Int) -> Bool {
        var index = first
        while true {
            var entry = Int(skips[bits.peek(SkipTable.lookahead)])
            var next = index &+ (entry & 0xFF)
            if next < 64 {
                bits.skip(entry &>> 8)
                bits.fill()
                index = next
                // Bound: 56 bits are held. Two entries take at most 28 each.
                entry = Int(skips[bits.peek(SkipTable.lookahead)])
                next = index &+ (entry & 0xFF)
                if next < 64 {
                    bits.skip(entry &>> 8)
                    index = next
                    continue
                }
            }
            if next == 64 || (next > SkipTable.endOfBlock && next < SkipTable.endOfBlock &+ 64) {
                bits.skip(entry &>> 8)
                return true
            }
            // A long code, or symbols beyond the block's end: one at a time.
            bits.fill()
            let symbol = ac.codes.symbol(&bits)
            guard symbol >= 0 else { return false }
            let count = symbol & 15
            if count == 0, symbol != 0xF0 { return true }
            bits.skip(count)
            index &+= symbol &>> 4 &+ 1
            if index >= 64 { return index == 64 }
            bits.fill()
        }
    }

    /// Decodes the lowest two by two coefficients, and writes four samples. At least 28 bits are held.
    @inline(__always)
    private func decodeFour(_ bits: inout CodedBits, low first: Int, at offset: Int) -> Bool {
        bits.fill()
        var index = 1
        // Bound: four steps of ten bits each.
        while index < count {
            let entry = ac.numbers[bits.peek(ValueTable.lookahead)]
            guard entry != 0 else {
                guard readLong(&bits, &index) else { return false }
                continue
            }
            take(entry, &bits, &index)
        }
        if index < 64 {
            bits.fill()
            guard passCoefficients(&bits, from: index) else { return false }
        }
        values[0] = Int32(truncatingIfNeeded: first)
        let isInside = samples.write(LowBlock.four(values), at: offset)
        values.fill(4, with: 0)
        return isInside
    }

    /// Decodes the lowest four by four coefficients, and writes sixteen samples. At least 28 bits are held.
    @inline(__always)
    private func decodeSixteen(_ bits: inout CodedBits, _ first: Int, at offset: Int) -> Bool {
        var index = 1
        var symbols = 0
        while index < count {
            let entry = ac.numbers[bits.peek(ValueTable.lookahead)]
            symbols &+= 1
            guard entry != 0 else {
                guard readLong(&bits, &index) else { return false }
                continue
            }
            take(entry, &bits, &index)
            bits.fill()
        }
        if index < 64, !passCoefficients(&bits, from: index) { return false }
        if symbols == 1, index > 64 {
            let row = SIMD4(repeating: BlockCoding.sample(first))
            return samples.write((row, row, row, row), at: offset)
        }
        values[0] = Int32(truncatingIfNeeded: first)
        let isInside = samples.write(LowBlock.sixteen(values), at: offset)
        values.fill(16, with: 0)
        return isInside
    }

    /// Consumes a symbol and its number.
    @inline(__always)
    private func take(_ entry: Int32, _ bits: inout CodedBits, _ index: inout Int) {
        bits.skip(Int(entry & 0xFF))
        index &+= Int(entry &>> 8 & 0xFF)
        // An entry moves from a place below 25 by at most 128; coefficients from 64 on belong in the unused slot.
        let coefficient = coefficients[index &- 1]
        values[coefficient.slot] = Int32(truncatingIfNeeded: Int(entry &>> 16) &* coefficient.step)
    }

    /// Consumes a symbol and its number that are longer than an entry's; returns `false` if they are damaged.
    @inline(never)
    private func readLong(_ bits: inout CodedBits, _ index: inout Int) -> Bool {
        bits.fill()
        let symbol = ac.codes.symbol(&bits)
        guard symbol >= 0 else { return false }
        let size = symbol & 15
        if size == 0, symbol != 0xF0 {
            index &+= ValueTable.endOfBlock
            return true
        }
        index &+= symbol &>> 4 &+ 1
        // Coefficients of 8-bit samples have at most 10 bits (table F.2).
        guard index <= 64, size <= 10 else { return false }
        let coefficient = coefficients[index &- 1]
        values[coefficient.slot] = Int32(truncatingIfNeeded: bits.number(size) &* coefficient.step)
        bits.fill()
        return true
    }

    /// Decodes all coefficients, and writes four samples. At least 28 bits are held.
    @inline(__always)
    private func decodeFour(_ bits: inout CodedBits, _ first: Int, at offset: Int) -> Bool {
        var index = 1
        var isPlain = true
        while index < 64 {
            let entry = ac.numbers[bits.peek(ValueTable.lookahead)]
            let value: Int
            if entry != 0 {
                bits.skip(Int(entry & 0xFF))
                index &+= Int(entry &>> 8 & 0xFF)
                if index > ValueTable.endOfBlock { break }
                guard index <= 64 else { return false }
                value = Int(entry &>> 16)
            } else {
                let symbol = ac.codes.symbol(&bits)
                guard symbol >= 0 else { return false }
                let size = symbol & 15
                if size == 0, symbol != 0xF0 { break }
                index &+= symbol &>> 4 &+ 1
                // Coefficients of 8-bit samples have at most 10 bits (table F.2).
                guard index <= 64, size <= 10 else { return false }
                value = bits.number(size)
            }
            let coefficient = coefficients[index &- 1]
            // Libraries with vector code multiply 16 bits.
            values[coefficient.slot] = Int32(Int16(truncatingIfNeeded: value &* coefficient.step))
            isPlain = isPlain && (coefficient.slot == BlockCoding.unusedSlot || value == 0)
            bits.fill()
        }
        if isPlain {
            let sample = BlockCoding.sample(first)
            return samples.write((sample, sample, sample, sample), at: offset)
        }
        values[0] = Int32(truncatingIfNeeded: first)
        let isInside = samples.write(QuarterBlock.samples(values), at: offset)
        values.fill(25, with: 0)
        return isInside
    }
}
