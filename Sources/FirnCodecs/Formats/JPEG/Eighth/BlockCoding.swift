/// Decodes one block of each MCU to its sample, or to four.
///
/// Safety: all pointers are into memory of an ``EighthStorage``, which outlives this value. `decode` writes
/// `parts × parts` samples at the block's place, which the storage has for every MCU of the frame.
struct BlockCoding {
    let dc: FlatHuffmanTable
    let ac: FlatHuffmanTable
    /// The entries of a ``SkipTable``.
    let skips: UnsafePointer<UInt16>
    /// The quantization steps, in the order of the file.
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
    /// The samples of the block, across and down: 1 or 2.
    let parts: Int
    /// Room for 25 coefficients, all 0 between calls.
    let values: UnsafeMutablePointer<Int32>
    /// Where each coefficient belongs in `values`; see ``QuarterBlock/places``.
    let places: UnsafePointer<Int8>

    /// Returns the same block for another thread, with memory of its own for what decoding changes.
    func with(prediction: UnsafeMutablePointer<Int>, values: UnsafeMutablePointer<Int32>) -> BlockCoding {
        BlockCoding(
            dc: dc, ac: ac, skips: skips, steps: steps, prediction: prediction, samples: samples, stride: stride,
            across: across, down: down, parts: parts, values: values, places: places)
    }

    /// Decodes the block in the MCU at `column` and `row`; returns `false` if it is damaged.
    @inline(__always)
    func decode(_ bits: inout CodedBits, column: Int, row: Int) -> Bool {
        bits.fill()
        let size = dc.symbol(&bits)
        guard (0...11).contains(size) else { return false }
        let value = prediction.pointee &+ bits.number(size)
        guard value >= -32_768, value <= 32_767 else { return false }
        prediction.pointee = value
        let target = samples + (row &* down &+ column &* across)
        let dequantized = value &* Int(steps[0])
        guard parts == 1 else { return decodeFour(&bits, dequantized, to: target) }
        target.pointee = BlockCoding.sample(dequantized)
        return passCoefficients(&bits)
    }

    /// Returns the result of libjpeg's 1 x 1 inverse DCT, which looks at ten bits: values of damaged files wrap.
    @inline(__always)
    private static func sample(_ coefficient: Int) -> UInt8 {
        let value = (coefficient &+ 4) &>> 3
        return UInt8(clamping: (value &<< 54) &>> 54 &+ 128)
    }

    /// Skips the AC coefficients; returns `false` if they are damaged. At least 28 bits are held.
    @inline(__always)
    private func passCoefficients(_ bits: inout CodedBits) -> Bool {
        var place = 1
        while true {
            let entry = Int(skips[bits.peek(SkipTable.lookahead)])
            let next = place &+ (entry & 0xFF)
            if next < 64, entry != 0 {
                bits.skip(entry &>> 8)
                bits.fill()
                place = next
                continue
            }
            if next == 64 || (next > SkipTable.endOfBlock && next < SkipTable.endOfBlock &+ 64) {
                bits.skip(entry &>> 8)
                return true
            }
            // A long code, or symbols beyond the block's end: one at a time.
            bits.fill()
            let symbol = ac.symbol(&bits)
            guard symbol >= 0 else { return false }
            let count = symbol & 15
            if count == 0, symbol != 0xF0 { return true }
            bits.skip(count)
            place &+= symbol &>> 4 &+ 1
            if place >= 64 { return place == 64 }
            bits.fill()
        }
    }

    /// Decodes all coefficients, and writes four samples. At least 28 bits are held.
    @inline(__always)
    private func decodeFour(
        _ bits: inout CodedBits, _ first: Int, to target: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        var place = 1
        var isPlain = true
        while place < 64 {
            let symbol = ac.symbol(&bits)
            guard symbol >= 0 else { return false }
            let count = symbol & 15
            if count == 0, symbol != 0xF0 { break }
            place &+= symbol &>> 4
            // Coefficients of 8-bit samples have at most 10 bits (table F.2).
            guard place < 64, count <= 10 else { return false }
            let slot = Int(places[place])
            let value = bits.number(count)
            if slot >= 0, value != 0 {
                // Libraries with vector code multiply 16 bits.
                values[slot] = Int32(Int16(truncatingIfNeeded: value &* Int(steps[place])))
                isPlain = false
            }
            place &+= 1
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
