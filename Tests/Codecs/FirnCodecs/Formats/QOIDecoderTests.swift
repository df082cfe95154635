import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct QOIDecoderTests {
    private func file(
        _ width: Int, _ height: Int, channels: UInt8 = 4, space: UInt8 = 0, _ codes: [UInt8],
        end: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
    ) -> Data {
        Data(
            Array("qoif".utf8) + HandmadePNG.big(width, 4) + HandmadePNG.big(height, 4) + [channels, space] + codes
                + end)
    }

    private func pixels(_ data: Data) throws -> [UInt8] { try packed(session(data).decode(straight())) }

    @Test func `whole colors, differences, runs and colors seen before`() throws {
        let codes: [UInt8] = [
            0xFF, 10, 20, 30, 40,  // red, green, blue, alpha
            0xFE, 100, 110, 120,  // the alpha of the previous pixel
            0x72,  // +1, -2, 0
            0xA8, 0xC3,  // green +8, red +8+4, blue +8-5
            0xC1,  // two repetitions
            12,  // 10 * 3 + 20 * 5 + 30 * 7 + 40 * 11, modulo 64
        ]
        let expected: [UInt8] = [
            10, 20, 30, 40, 100, 110, 120, 40, 101, 108, 120, 40, 113, 116, 123, 40, 113, 116, 123, 40, 113, 116, 123,
            40, 10, 20, 30, 40,
        ]
        #expect(try pixels(file(7, 1, codes)) == expected)
    }

    @Test func `differences wrap around`() throws {
        #expect(try pixels(file(1, 1, [0x40])) == [254, 254, 254, 255])
    }

    @Test func `a run may begin the file and go over rows, and its black is remembered`() throws {
        let codes: [UInt8] = [0xC2, 0xFE, 9, 9, 9, 53]
        #expect(
            try pixels(file(1, 5, codes)) == [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9, 255, 0, 0, 0, 255])
    }

    @Test func `three channels have no alpha whatever the codes say`() throws {
        let data = file(1, 1, channels: 3, [0xFF, 1, 2, 3, 4])
        #expect(try pixels(data) == [1, 2, 3, 255])
        #expect(try session(data).properties()?.hasAlpha == false)
        var options = straight()
        options.pixelFormat = .rgb8
        #expect(try packed(session(data).decode(options)) == [1, 2, 3])
    }

    @Test func `linear samples are described so`() throws {
        #expect(try session(file(1, 1, [0xC0])).properties()?.colorDescription == nil)
        #expect(try session(file(1, 1, space: 1, [0xC0])).properties()?.colorDescription?.transferCode == 8)
    }

    @Test func `the end marker may be missing or followed by any bytes`() throws {
        #expect(try pixels(file(1, 1, [0xC0], end: [])) == [0, 0, 0, 255])
        #expect(try pixels(file(1, 1, [0xC0], end: [UInt8](repeating: 7, count: 99))) == [0, 0, 0, 255])
    }

    @Test func `any split gives the same pixels, and rows as they come`() throws {
        let codes: [UInt8] = (0..<50).flatMap { index -> [UInt8] in
            switch index % 4 {
            case 0: [0xFF, UInt8(index), 2, 3, 200]
            case 1: [0xC0 | 5]
            case 2: [0x80 | 7, UInt8(index)]
            default: [0xFE, 3, UInt8(index), 9]
            }
        }
        let data = file(10, 10, codes)
        let whole = try pixels(data)
        for step in [1, 3, 16] {
            let open = try openSession(data)
            var at = 0
            var previews = 0
            while at < data.count {
                try open.append(data[at..<min(at + step, data.count)])
                if let preview = try open.preview(straight()) {
                    previews += 1
                    #expect(packed(preview)[..<40] == whole[..<40])
                }
                at += step
            }
            open.finish()
            #expect(try packed(open.decode(straight())) == whole)
            #expect(previews >= 5)
        }
    }

    @Test func `damaged headers, short files and too many pixels are refused`() {
        func fault(_ data: Data, limits: ImageLimits = ImageLimits()) -> ImageError.Fault? {
            decodingError { _ = try session(data, limits: limits).decode(straight()) }?.fault
        }
        #expect(fault(file(0, 1, [0xC0])) == .data)
        #expect(fault(file(1, 1, channels: 5, [0xC0])) == .data)
        #expect(fault(file(1, 1, space: 2, [0xC0])) == .data)
        #expect(fault(file(0xFFFF_FFFF, 0xFFFF_FFFF, [0xC0])) == .limit)
        #expect(fault(file(3, 1, [0xC0], end: [])) == .data)
        for count in 4..<14 { #expect(fault(file(1, 1, []).prefix(count)) == .data) }
        var limits = ImageLimits()
        limits.maximumPixels = 99
        #expect(fault(file(10, 10, [0xFD, 0xFD]), limits: limits) == .limit)
    }
}
