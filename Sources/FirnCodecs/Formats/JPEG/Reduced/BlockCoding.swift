/// Decodes one block of each MCU to its samples.
///
/// Safety: all pointers are into memory of an ``ReducedStorage``, which outlives this value. `decode` writes
/// `parts × parts` samples at the block's place, which the storage has for every MCU of the frame.
struct BlockCoding {
    let dc: FlatBlockTable
    let ac: FlatBlockTable
    /// The quantization steps, in the order of the file: ``paddedCount``.
    let steps: UnsafePointer<Int32>
    /// The value of the component's DC coefficient in the block before.
    let prediction: UnsafeMutablePointer<Int>
    /// The sample of the block in the first MCU.
    let samples: UnsafeMutablePointer<UInt8>
    /// The samples from one row to the next.
    let stride: Int
    /// The samples from one MCU to the next, across and down.
    let across: Int
    let down: Int
    /// The samples of the block, across and down: 1, 2 or 4.
    let parts: Int
    /// Room for 25 coefficients, all 0 between calls, and an unused slot.
    let values: UnsafeMutablePointer<Int32>
    /// Where each coefficient belongs in `values`, ``paddedCount`` in all; see ``QuarterBlock/places`` and
    /// ``LowBlock/places(parts:)``.
    let places: UnsafePointer<Int8>
    /// The number of coefficients, in the order of the file, that are decoded; others are skipped. 64 for
    /// ``QuarterBlock``, fewer for ``LowBlock``.
    let count: Int

    /// The coefficients of a block, and those beyond its end that an entry of a ``ValueTable`` may lead to.
    static let paddedCount = 160
    /// The slot of coefficients that are not used.
    static let unusedSlot: Int8 = 25
    static let slots = 26

    /// Returns the same block for another thread, with memory of its own for what decoding changes.
    func with(prediction: UnsafeMutablePointer<Int>, values: UnsafeMutablePointer<Int32>) -> BlockCoding {
        BlockCoding(
            dc: dc, ac: ac, steps: steps, prediction: prediction, samples: samples, stride: stride,
            across: across, down: down, parts: parts, values: values, places: places, count: count)
    }

    /// Decodes the block in the MCU at `column` and `row` at an eighth; returns `false` if it is damaged.
    @inline(__always)
    func decodeEighth(_ bits: inout CodedBits, column: Int, row: Int) -> Bool {
        guard let first = mean(&bits) else { return false }
        let target = samples + (row &* down &+ column &* across)
        guard parts == 1 else { return decodeFour(&bits, first, to: target) }
        target.pointee = BlockCoding.sample(first)
        return passCoefficients(&bits, from: 1)
    }

    /// Decodes the block in the MCU at `column` and `row` at a quarter; returns `false` if it is damaged.
    @inline(__always)
    func decodeQuarter(_ bits: inout CodedBits, column: Int, row: Int) -> Bool {
        guard let first = mean(&bits) else { return false }
        let target = samples + (row &* down &+ column &* across)
        return parts == 2 ? decodeFour(&bits, low: first, to: target) : decodeSixteen(&bits, first, to: target)
    }

    /// Decodes the DC coefficient and dequantizes it; `nil` if it is none of a valid file.
    @inline(__always)
    private func mean(_ bits: inout CodedBits) -> Int? {
        bits.fill()
        let entry = dc.numbers[bits.peek(ValueTable.lookahead)]
        var change = Int(entry &>> 16)
        if entry != 0 {
            bits.skip(Int(entry & 0xFF))
        } else {
            let size = dc.codes.symbol(&bits)
            guard (0...11).contains(size) else { return nil }
            change = bits.number(size)
        }
        let value = prediction.pointee &+ change
        guard value >= -32_768, value <= 32_767 else { return nil }
        prediction.pointee = value
        return value &* Int(steps[0])
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
        var place = first
        while true {
            var entry = Int(ac.skips[bits.peek(SkipTable.lookahead)])
            var next = place &+ (entry & 0xFF)
            if next < 64 {
                bits.skip(entry &>> 8)
                bits.fill()
                place = next
                // Bound: 56 bits are held. Two entries take at most 28 each.
                entry = Int(ac.skips[bits.peek(SkipTable.lookahead)])
                next = place &+ (entry & 0xFF)
                if next < 64 {
                    bits.skip(entry &>> 8)
                    place = next
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
            place &+= symbol &>> 4 &+ 1
            if place >= 64 { return place == 64 }
            bits.fill()
        }
    }

    /// Decodes the lowest two by two coefficients, and writes four samples. At least 28 bits are held.
    @inline(__always)
    private func decodeFour(_ bits: inout CodedBits, low first: Int, to target: UnsafeMutablePointer<UInt8>) -> Bool {
        bits.fill()
        var place = 1
        // Bound: four steps of ten bits each.
        while place < count {
            let entry = ac.numbers[bits.peek(ValueTable.lookahead)]
            guard entry != 0 else {
                guard readLong(&bits, &place) else { return false }
                continue
            }
            take(entry, &bits, &place)
        }
        if place < 64 {
            bits.fill()
            guard passCoefficients(&bits, from: place) else { return false }
        }
        values[0] = Int32(truncatingIfNeeded: first)
        (target[0], target[1], target[stride], target[stride &+ 1]) = LowBlock.four(values)
        values.update(repeating: 0, count: 4)
        return true
    }

    /// Decodes the lowest four by four coefficients, and writes sixteen samples. At least 28 bits are held.
    @inline(__always)
    private func decodeSixteen(_ bits: inout CodedBits, _ first: Int, to target: UnsafeMutablePointer<UInt8>) -> Bool {
        var place = 1
        var symbols = 0
        while place < count {
            let entry = ac.numbers[bits.peek(ValueTable.lookahead)]
            symbols &+= 1
            guard entry != 0 else {
                guard readLong(&bits, &place) else { return false }
                continue
            }
            take(entry, &bits, &place)
            bits.fill()
        }
        if place < 64, !passCoefficients(&bits, from: place) { return false }
        if symbols == 1, place > 64 {
            let sample = BlockCoding.sample(first)
            for row in 0..<4 { (target + row &* stride).update(repeating: sample, count: 4) }
            return true
        }
        values[0] = Int32(truncatingIfNeeded: first)
        LowBlock.sixteen(values, to: target, stride: stride)
        values.update(repeating: 0, count: 16)
        return true
    }

    /// Consumes a symbol and its number.
    @inline(__always)
    private func take(_ entry: Int32, _ bits: inout CodedBits, _ place: inout Int) {
        bits.skip(Int(entry & 0xFF))
        place &+= Int(entry &>> 8 & 0xFF)
        // Safety: an entry moves from a place below 25 by at most 128; both tables have ``paddedCount`` values, which
        // lead to the unused slot from 64 on.
        let value = Int(entry &>> 16) &* Int(steps[place &- 1])
        values[Int(places[place &- 1])] = Int32(truncatingIfNeeded: value)
    }

    /// Consumes a symbol and its number that are longer than an entry's; returns `false` if they are damaged.
    @inline(never)
    private func readLong(_ bits: inout CodedBits, _ place: inout Int) -> Bool {
        bits.fill()
        let symbol = ac.codes.symbol(&bits)
        guard symbol >= 0 else { return false }
        let size = symbol & 15
        if size == 0, symbol != 0xF0 {
            place &+= ValueTable.endOfBlock
            return true
        }
        place &+= symbol &>> 4 &+ 1
        // Coefficients of 8-bit samples have at most 10 bits (table F.2).
        guard place <= 64, size <= 10 else { return false }
        let value = bits.number(size) &* Int(steps[place &- 1])
        values[Int(places[place &- 1])] = Int32(truncatingIfNeeded: value)
        bits.fill()
        return true
    }

    /// Decodes all coefficients, and writes four samples. At least 28 bits are held.
    @inline(__always)
    private func decodeFour(_ bits: inout CodedBits, _ first: Int, to target: UnsafeMutablePointer<UInt8>) -> Bool {
        var place = 1
        var isPlain = true
        while place < 64 {
            let entry = ac.numbers[bits.peek(ValueTable.lookahead)]
            let value: Int
            if entry != 0 {
                bits.skip(Int(entry & 0xFF))
                place &+= Int(entry &>> 8 & 0xFF)
                if place > ValueTable.endOfBlock { break }
                guard place <= 64 else { return false }
                value = Int(entry &>> 16)
            } else {
                let symbol = ac.codes.symbol(&bits)
                guard symbol >= 0 else { return false }
                let size = symbol & 15
                if size == 0, symbol != 0xF0 { break }
                place &+= symbol &>> 4 &+ 1
                // Coefficients of 8-bit samples have at most 10 bits (table F.2).
                guard place <= 64, size <= 10 else { return false }
                value = bits.number(size)
            }
            let slot = places[place &- 1]
            // Libraries with vector code multiply 16 bits.
            values[Int(slot)] = Int32(Int16(truncatingIfNeeded: value &* Int(steps[place &- 1])))
            isPlain = isPlain && (slot == BlockCoding.unusedSlot || value == 0)
            bits.fill()
        }
        if isPlain {
            let sample = BlockCoding.sample(first)
            target[0] = sample
            target[1] = sample
            target[stride] = sample
            target[stride &+ 1] = sample
            return true
        }
        values[0] = Int32(truncatingIfNeeded: first)
        (target[0], target[1], target[stride], target[stride &+ 1]) = QuarterBlock.samples(values)
        values.update(repeating: 0, count: 25)
        return true
    }
}
