import FirnImage
import Testing

@testable import FirnCodecs

/// Tests that decoders in Swift write no byte outside the rows that they are given.
@Suite struct RowMemoryTests {
    @Test func `rows that are not there have no memory`() {
        var bytes = [UInt8](repeating: 0, count: 30)
        bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let memory = RowMemory(base, bytesPerRow: 10, rowBytes: 8, rows: 3)
            #expect(memory.row(2).baseAddress == base + 20 && memory.row(2).count == 8)
            #expect(memory.row(-1).isEmpty && memory.row(3).isEmpty)
            memory.row(1).copyBytes(from: 1...8)
            memory.copyRow(1, to: 2)
            memory.copyRow(1, to: 3)
            memory.copyRow(-1, to: 0)
        }
        let row: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 0, 0]
        #expect(bytes == [UInt8](repeating: 0, count: 10) + row + row)
    }

    @Test(arguments: [1, 2, 4, 8, 16, 24, 32], [SampleLayout.rgb8, .rgba8, .bgra8])
    func `a bitmap's row is written in full, or not at all if bytes or room are missing`(
        bits: Int, layout: SampleLayout
    ) {
        for width in [1, 7, 8, 9, 17, 33] {
            let header = DIBHeader(size: PixelSize(width: width, height: 1), bitsPerPixel: bits)
            let packer = DIBRowPacker(header, ByteChain(), layout: layout, isOpaque: true)
            let bytes = [UInt8](repeating: 0xFF, count: (width * bits + 7) / 8)
            let room = width * layout.bytesPerPixel
            func written(_ bytes: ArraySlice<UInt8>, room: Int) -> [UInt8] {
                var target = [UInt8](repeating: 0x55, count: 200)
                target.withUnsafeMutableBytes {
                    packer.pack(bytes.span.bytes, to: UnsafeMutableRawBufferPointer(rebasing: $0[20..<20 + room]))
                }
                return target
            }
            let untouched = [UInt8](repeating: 0x55, count: 200)
            #expect(written(bytes.dropLast(), room: room) == untouched)
            #expect(written(bytes[...], room: room - 1) == untouched)
            let whole = written(bytes[...], room: room)
            #expect(!whole[20..<20 + room].contains(0x55))
            #expect(whole[..<20] + whole[(20 + room)...] == untouched[room...])
        }
    }

    @Test func `QOI codes end at a row without memory`() {
        var pixels = [UInt8](repeating: 0, count: 6)
        var codes = QOICodes(isOpaque: true, layout: .rgb8)
        // Seven pixels of one color.
        let bytes: [UInt8] = [0xFE, 1, 2, 3, 0xC5]
        var (used, begun) = (0, 0)
        let rows = pixels.withUnsafeMutableBytes { pixels in
            guard let base = pixels.baseAddress else { return 0 }
            let memory = RowMemory(base, bytesPerRow: 6, rowBytes: 6, rows: 1)
            return codes.decode(bytes.span.bytes, &used, &begun, width: 2, rows: 0..<3, of: memory)
        }
        #expect(rows == 1 && pixels == [1, 2, 3, 1, 2, 3] && codes.isRunning)
    }
}
