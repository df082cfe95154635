import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct BMPDamageTests {
    private let sound = HandmadeBMP(
        width: 3, height: 3, bits: 24,
        rows: (0..<3).map { row in (0..<9).map { UInt8(row * 20 + $0 + 1) } })

    private func fault(_ file: HandmadeBMP, limits: ImageLimits = ImageLimits()) -> ImageError.Fault? {
        decodingError { _ = try session(file.data, limits: limits).decode(straight()) }?.fault
    }

    @Test func `every shorter file is an error, and none is a crash`() throws {
        let data = sound.data
        for count in 2..<data.count - 3 {
            #expect(
                decodingError { _ = try session(data.prefix(count)).decode(straight()) }?.fault == .data, "\(count)")
        }
    }

    @Test func `a truncated file shows its last rows if allowed`() throws {
        var options = straight()
        options.allowsPartial = true
        let bitmap = try session(sound.data.dropLast(12)).decode(options)
        let bytes = packed(bitmap)
        #expect(bytes[0..<12].allSatisfy { $0 == 0 })
        #expect(Array(bytes[24..<28]) == [3, 2, 1, 255])
    }

    @Test func `empty sizes and too many pixels are refused before memory is allocated`() {
        var file = sound
        file.width = 0
        #expect(fault(file) == .data)
        file.width = -3
        #expect(fault(file) == .data)
        file.width = 0x7FFF_FFFF
        file.height = -0x8000_0000
        #expect(fault(file) == .limit)
        var limits = ImageLimits()
        limits.maximumPixels = 8
        #expect(fault(sound, limits: limits) == .limit)
        limits.maximumPixels = .max
        #expect(fault(file, limits: limits) == .limit)
    }

    @Test(arguments: [(3, 0), (7, 0), (64, 0), (24, 1), (8, 2), (24, 9), (32, 10), (0, 0)])
    func `bits and compressions that do not go together are refused`(bits: Int, compression: Int) {
        var file = sound
        file.bits = bits
        file.compression = compression
        #expect(fault(file) == .unsupported)
    }

    @Test func `masks of nothing are refused`() {
        let file = HandmadeBMP(width: 1, height: 1, bits: 32, compression: 3, masks: [0, 0, 0], rows: [[1, 2, 3, 4]])
        #expect(fault(file) == .data)
    }

    @Test(arguments: [0, 1, 11, 13, 125, 0xFFFF_FFFF])
    func `headers of unknown lengths are refused`(length: Int) {
        var bytes = sound.data
        bytes.replaceSubrange(14..<18, with: little(length, 4))
        #expect(decodingError { _ = try session(bytes).properties() }?.fault == .data)
    }

    @Test func `any split gives the same pixels`() throws {
        let codes: [UInt8] = [3, 1, 0, 0, 0, 3, 4, 5, 6, 0, 0, 2, 1, 0, 1, 7, 0, 1]
        let files = [
            sound.data,
            HandmadeBMP(width: 2, height: -2, bits: 24, rows: [[1, 2, 3, 4, 5, 6], [7, 8, 9, 1, 2, 3]]).data,
            HandmadeBMP(
                width: 3, height: 3, bits: 8, compression: 1, colorsUsed: 2, palette: [[1, 2, 3], [4, 5, 6]],
                rows: [codes]
            ).data,
            HandmadeBMP(
                width: 1, height: -2, bits: 32, compression: 3, headerLength: 56,
                masks: [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000], rows: [[1, 2, 3, 0], [4, 5, 6, 9]]
            ).data,
        ]
        for data in files {
            let whole = try packed(session(data).decode(straight()))
            for step in [1, 2, 7] {
                #expect(try packed(session(data, inPiecesOf: step).decode(straight())) == whole)
            }
        }
    }

    @Test func `rows from the top are returned as they arrive`() throws {
        let file = HandmadeBMP(width: 1, height: -2, bits: 24, rows: [[1, 2, 3], [4, 5, 6]])
        let open = try openSession(file.data)
        try open.append(file.data.dropLast(4))
        let preview = try #require(try open.preview(straight()))
        #expect(packed(preview) == [3, 2, 1, 255, 0, 0, 0, 0])
    }
}
