@testable import FirnCodecs
import FoundationEssentials
import Testing

@Suite struct LZWDecoderTests {
    /// Packs as encoders do: the longest known string, with codes up to 12 bits; from there on, the table stays the
    /// same.
    private func packed(_ indices: [UInt8], codeSize: Int) -> Data {
        var table: [[UInt8]: Int] = [:]
        for index in 0..<min(256, 1 << codeSize) { table[[UInt8(index)]] = index }
        var next = (1 << codeSize) + 2
        var width = codeSize + 1
        var codes = CodePacker()
        func write(_ code: Int) { codes.add(code, width: width) }
        write(1 << codeSize)
        var string: [UInt8] = []
        for index in indices {
            if table[string + [index]] != nil {
                string.append(index)
                continue
            }
            write(table[string] ?? 0)
            if next < 4096 {
                table[string + [index]] = next
                next += 1
                // The decoder is one entry behind.
                if next - 1 == 1 << width, width < 12 { width += 1 }
            }
            string = [index]
        }
        if !string.isEmpty { write(table[string] ?? 0) }
        if next < 4096, next == 1 << width, width < 12 { width += 1 }
        write((1 << codeSize) + 1)
        return Data(GIFBlocks.blocks(codes.bytes))
    }

    private func unpack(_ data: Data, codeSize: UInt8, room: Int, piece: Int) throws -> [UInt8] {
        let decoder = try #require(LZWDecoder(codeSize: codeSize))
        var chain = ByteChain()
        var fed = 0
        var offset = 0
        var indices: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: room)
        while true {
            let (count, outcome) = read(decoder, chain, at: &offset, into: &buffer, 0..<room)
            indices += buffer.prefix(count)
            switch outcome {
            case .full: continue
            case .end: return indices
            case .damaged: throw Damage()
            case .needsBytes:
                guard fed < data.count else { throw Damage() }
                chain.append(data[fed..<min(fed + piece, data.count)])
                fed += piece
            }
        }
    }

    private func read(
        _ decoder: LZWDecoder, _ chain: ByteChain, at offset: inout Int, into buffer: inout [UInt8], _ room: Range<Int>
    ) -> (indices: Int, outcome: LZWDecoder.Outcome) {
        var indices = buffer.mutableSpan
        var bytes = indices.mutableBytes
        return decoder.read(chain, at: &offset, into: &bytes, room)
    }

    private struct Damage: Error {}

    @Test(arguments: [1, 2, 4, 8, 9, 10, 11])
    func `packed codes are decoded for any buffer and pieces`(codeSize: Int) throws {
        var random = RepeatableNumbers(seed: 7)
        // Long runs give long strings; noise fills the table.
        var indices = [UInt8](repeating: 1, count: 5_000)
        indices += (0..<6_000).map { _ in UInt8.random(in: 0..<UInt8(min(255, (1 << codeSize) - 1)), using: &random) }
        indices += [UInt8](repeating: 0, count: 5_000)
        let data = packed(indices, codeSize: codeSize)
        for (room, piece) in [(30_000, 100_000), (997, 61), (5, 100_000), (30_000, 3)] {
            #expect(try unpack(data, codeSize: UInt8(codeSize), room: room, piece: piece) == indices)
        }
    }

    @Test func `no index is written outside the room`() throws {
        let indices = [UInt8](repeating: 1, count: 3_000)
        var chain = ByteChain()
        chain.append(packed(indices, codeSize: 2))
        for room in 0...40 {
            let decoder = try #require(LZWDecoder(codeSize: 2))
            var offset = 0
            var buffer = [UInt8](repeating: 0xAA, count: 60)
            // Strings grow by one index with each code, so that every place in a string is cut.
            for _ in 0..<70 {
                let result = read(decoder, chain, at: &offset, into: &buffer, 10..<10 + room)
                #expect(result == (room, .full))
                #expect(buffer[10..<10 + room].allSatisfy { $0 == 1 })
                #expect((buffer[..<10] + buffer[(10 + room)...]).allSatisfy { $0 == 0xAA })
            }
        }
    }

    @Test func `codes in an invalid place are damage`() {
        // After the clear code 4, only 0 to 3 may follow; then at most the next free entry.
        for codes in [[4, 6], [4, 1, 7]] {
            let bits = codes.enumerated().reduce(0) { $0 | $1.element << ($1.offset * 3) }
            let data = Data([2, UInt8(bits & 255), UInt8(bits >> 8), 0])
            #expect(throws: Damage.self) { try unpack(data, codeSize: 2, room: 100, piece: 100) }
        }
    }

    @Test func `any bytes end in indices or in damage`() throws {
        for seed: UInt64 in 0..<300 {
            var random = RepeatableNumbers(seed: seed)
            let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
            let size = UInt8.random(in: 1...11, using: &random)
            _ = try? unpack(Data(bytes), codeSize: size, room: 50, piece: 7)
        }
        #expect(LZWDecoder(codeSize: 0) == nil && LZWDecoder(codeSize: 12) == nil)
    }
}
