import Testing

@testable import FirnCodecs

@Suite struct RawSpanReadingTests {
    @Test func `a byte is found at any place, not before the start and not beyond the end`() {
        for count in 0...20 {
            for place in 0..<count {
                // Bytes that differ by 1 or by the highest bit from the wanted one, below and above it.
                for other: UInt8 in [0x3D, 0x3B, 0xBC, 0] {
                    var bytes = [UInt8](repeating: other, count: count)
                    bytes[place] = 0x3C
                    let found = bytes.span.bytes.offset(of: 0x3C, from: 0)
                    #expect(found == place)
                    #expect(bytes.span.bytes.offset(of: 0x3C, from: place) == place)
                    #expect(bytes.span.bytes.offset(of: 0x3C, from: place + 1) == nil)
                    bytes.append(0x3C)
                    #expect(bytes.span.bytes.offset(of: 0x3C, from: place + 1) == count)
                }
            }
            #expect([UInt8](repeating: 7, count: count).span.bytes.offset(of: 0x3C, from: 0) == nil)
        }
    }

    @Test func `each pixel is seen once, in order`() {
        let bytes = (0..<100).map { UInt8($0) }
        for count in 0...33 {
            var seen: [UInt8] = []
            bytes.span.bytes.forEachPixel(bytes: 3, count: count) { part, at, x in
                #expect(x == seen.count)
                seen.append(part.byte(at: at))
            }
            #expect(seen == (0..<count).map { UInt8($0 * 3) })
        }
    }

    @Test func `a copy ends with the shorter of both`() {
        let bytes: [UInt8] = [1, 2, 3]
        var target: [UInt8] = [9, 9, 9, 9]
        target.withUnsafeMutableBytes { bytes.span.bytes.copy(to: $0) }
        #expect(target == [1, 2, 3, 9])
        target.withUnsafeMutableBytes { [7, 8].span.bytes.copy(to: UnsafeMutableRawBufferPointer(rebasing: $0[3...])) }
        #expect(target == [1, 2, 3, 7])
    }

    @Test func `texts are found at the start and the end of bytes, and not across the end`() {
        let bytes = Array("<a><ab><abc>".utf8)
        #expect(bytes[...].firstPlace(of: "<a") == 0..<2)
        #expect(bytes[...].firstPlace(of: "<abc>") == 7..<12)
        #expect(bytes[3..<7].firstPlace(of: "<ab") == 3..<6)
        #expect(bytes[3..<9].firstPlace(of: "<abc") == nil)
        #expect(bytes[...].firstPlace(of: "") == nil && bytes[..<1].firstPlace(of: "<a") == nil)
    }

    @Test func `chunk checksums are those of PNG`() {
        #expect(ChunkSum.of(Array("IEND".utf8)) == 0xAE42_6082)
        #expect(ChunkSum.of([]) == 0)
    }
}
