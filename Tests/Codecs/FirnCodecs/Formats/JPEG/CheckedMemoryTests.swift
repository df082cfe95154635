import Foundation
import Testing

@testable import FirnCodecs

/// Tests the memory that decoding a sequential JPEG reads and writes at places which the file decides on.
@Suite struct CheckedMemoryTests {
    /// Bytes of which about one in `rarity` is FF, and half of those are followed by a stuffed zero.
    private func coded(_ count: Int, rarity: Int, _ random: inout SystemRandomNumberGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            if Int.random(in: 0..<rarity, using: &random) == 0 {
                bytes += Bool.random(using: &random) ? [0xFF, 0] : [0xFF]
            } else {
                bytes.append(UInt8.random(in: 0..<255, using: &random))
            }
        }
        return Array(bytes.prefix(count))
    }

    @Test func `unstuffing equals a loop over the bytes`() {
        var random = SystemRandomNumberGenerator()
        let window = WindowBytes()
        defer { window.deallocate() }
        for count in 0..<300 {
            let bytes = coded(count, rarity: [2, 8, 64, 512][count % 4], &random)
            var expected: [UInt8] = []
            var read = 0
            while read < count {
                if bytes[read] == 0xFF {
                    guard read + 1 < count, bytes[read + 1] == 0 else { break }
                    read += 1
                }
                expected.append(bytes[read] == 0 && read > 0 && bytes[read - 1] == 0xFF ? 0xFF : bytes[read])
                read += 1
            }
            let start = count * 7
            let result = window.unstuff(bytes.span.bytes, to: start)
            #expect(result.read == read && result.written == expected.count, "\(bytes)")
            for (index, byte) in expected.enumerated() {
                #expect(UInt8(truncatingIfNeeded: window.word(at: start + index) >> 56) == byte)
            }
        }
    }

    @Test func `samples outside the rows are not written`() {
        let storage = ReducedStorage()
        let rows = storage.samples(stride: 8, rows: 8)
        let four: (UInt8, UInt8, UInt8, UInt8) = (1, 2, 3, 4)
        let row = SIMD4<UInt8>(repeating: 9)
        #expect(rows.write(1, at: 63) && !rows.write(1, at: 64) && !rows.write(1, at: -1))
        #expect(rows.write(four, at: 54) && !rows.write(four, at: 55) && !rows.write(four, at: .min))
        #expect(rows.write((row, row, row, row), at: 36) && !rows.write((row, row, row, row), at: 37))
        #expect(!storage.samples(stride: 8, rows: 3).write((row, row, row, row), at: 0))
    }

    @Test func `places of a table count modulo its size`() {
        let storage = ReducedStorage()
        let table: MaskedTable<2, Int32> = storage.table([1, 2, 3], filler: 7)
        #expect([-1, 0, 1, 3, 4, 1 << 40].map { table[$0] } == [7, 1, 2, 7, 1, 1])
        table.fill(99, with: 5)
        #expect((0..<4).allSatisfy { table[$0] == 5 })
    }
}
