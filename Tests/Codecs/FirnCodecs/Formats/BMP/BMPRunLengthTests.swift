import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct BMPRunLengthTests {
    /// Entry `i` has the gray level `10 * i`.
    private static let grays = (0..<16).map { [UInt8](repeating: UInt8($0 * 10), count: 3) }

    private func file(width: Int, height: Int, bits: Int = 8, codes: [UInt8]) -> HandmadeBMP {
        HandmadeBMP(
            width: width, height: height, bits: bits, compression: bits == 8 ? 1 : 2, colorsUsed: 16,
            palette: Self.grays, rows: [codes])
    }

    /// Returns the palette indices of the pixels, from the top.
    private func numbers(_ file: HandmadeBMP) throws -> [Int] {
        let bytes = try packed(session(file.data).decode(straight()))
        return stride(from: 0, to: bytes.count, by: 4).map { Int(bytes[$0]) / 10 }
    }

    @Test func `runs and literal values fill rows from the bottom`() throws {
        let codes: [UInt8] = [3, 1, 0, 0, 0, 3, 4, 5, 6, 0, 0, 1]
        #expect(try numbers(file(width: 3, height: 2, codes: codes)) == [4, 5, 6, 1, 1, 1])
    }

    @Test func `4 bits alternate between two values`() throws {
        let codes: [UInt8] = [5, 0x12, 0, 0, 0, 5, 0x34, 0x56, 0x70, 0, 0, 1]
        #expect(try numbers(file(width: 5, height: 2, bits: 4, codes: codes)) == [3, 4, 5, 6, 7, 1, 2, 1, 2, 1])
    }

    @Test func `skipped pixels keep index 0`() throws {
        let codes: [UInt8] = [1, 9, 0, 2, 1, 1, 1, 8, 0, 1]
        #expect(try numbers(file(width: 3, height: 3, codes: codes)) == [0, 0, 0, 0, 0, 8, 9, 0, 0])
    }

    @Test func `a run beyond its row's end is cut there`() throws {
        let codes: [UInt8] = [200, 7, 9, 3, 0, 0, 2, 5, 0, 1]
        #expect(try numbers(file(width: 2, height: 2, codes: codes)) == [5, 5, 7, 7])
    }

    @Test func `the code for the end may be missing behind the last pixel, not before`() throws {
        #expect(try numbers(file(width: 2, height: 2, codes: [2, 1, 0, 0, 2, 5])) == [5, 5, 1, 1])
        let short = file(width: 2, height: 2, codes: [2, 1, 0, 0, 1, 5])
        #expect(decodingError { _ = try session(short.data).decode(straight()) }?.fault == .data)
        var options = straight()
        options.allowsPartial = true
        #expect(try packed(session(short.data).decode(options))[8..<12] == [10, 10, 10, 255])
    }

    @Test func `rows of tall images are found again through their strips`() throws {
        let height = 100
        let codes = (0..<height).flatMap { row -> [UInt8] in [1, UInt8(row % 16), 0, 0] } + [0, 1]
        let expected = (0..<height).reversed().map { $0 % 16 }
        #expect(try numbers(file(width: 1, height: height, codes: codes)) == expected)
    }

    @Test func `runs of whole colors, as OS/2 writes them, are decoded`() throws {
        var file = HandmadeBMP(
            width: 2, height: 1, bits: 24, compression: 4, headerLength: 64, rows: [[2, 1, 2, 3, 0, 1]])
        #expect(try packed(session(file.data).decode(straight())) == [3, 2, 1, 255, 3, 2, 1, 255])
        file.compression = 3
        #expect(decodingError { _ = try session(file.data).properties() }?.fault == .unsupported)
    }
}
