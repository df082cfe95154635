import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct ICODecoderTests {
    /// Returns an icon file of whole entries; the directory has no sizes.
    private func icon(_ entries: [[UInt8]], type: Int = 1) -> Data {
        var bytes = little(0, 2) + little(type, 2) + little(entries.count, 2)
        var offset = 6 + entries.count * 16
        for entry in entries {
            bytes += [UInt8](repeating: 0, count: 8) + little(entry.count, 4) + little(offset, 4)
            offset += entry.count
        }
        return Data(bytes + entries.flatMap { $0 })
    }

    /// Returns a square of one color: blue, green, red, and alpha if there are 32 bits.
    private func square(_ side: Int, bits: Int, _ pixel: [UInt8], mask: UInt8 = 0) -> [UInt8] {
        let row = (0..<side).flatMap { _ in Array(pixel.prefix(bits / 8)) }
        let file = HandmadeBMP(width: side, height: side * 2, bits: bits, rows: [[UInt8]](repeating: row, count: side))
        let masks = [UInt8](repeating: mask, count: (side + 31) / 32 * 4 * side)
        return file.dib + file.pixels + masks
    }

    private var png: [UInt8] {
        Array(HandmadePNG(width: 3, height: 3, colorType: 6, rows: (0..<3).map { _ in (0..<12).map { $0 + 1 } }).data)
    }

    @Test func `the image is the largest, and of those the deepest`() throws {
        let data = icon([
            square(1, bits: 32, [1, 1, 1, 255]), square(2, bits: 24, [2, 2, 2]), square(2, bits: 32, [3, 3, 3, 255]),
        ])
        let session = try session(data)
        let properties = try #require(try session.properties())
        #expect(properties.size == PixelSize(width: 2, height: 2))
        #expect(properties.frameCount == 3)
        #expect(try session.frames().map(\.size.width) == [2, 2, 1])
        #expect(try packed(session.decode(straight()))[0] == 3)
        var options = straight()
        options.frame = 1
        #expect(try packed(session.decode(options))[0] == 2)
    }

    @Test func `a smaller size is served by the smallest image that covers it`() throws {
        let data = icon([4, 2, 1].map { square($0, bits: 32, [UInt8($0), 0, 0, 255]) })
        func side(_ wanted: Int) throws -> Int {
            var options = straight()
            options.targetSize = TargetSize(wanted)
            return try session(data).decode(options).size.width
        }
        #expect(try [1, 2, 3, 4, 9].map(side) == [1, 2, 4, 4, 4])
    }

    @Test func `an image of fewer bits or another shape is not used as thumbnail`() throws {
        let data = icon([square(4, bits: 32, [4, 0, 0, 255]), square(2, bits: 24, [2, 0, 0])])
        var options = straight()
        options.targetSize = TargetSize(2)
        #expect(try session(data).decode(options).size.width == 4)
    }

    @Test func `the mask hides pixels that have no alpha of their own`() throws {
        let plain = icon([square(2, bits: 24, [5, 5, 5], mask: 0b0100_0000)])
        #expect(try packed(session(plain).decode(straight())) == [5, 5, 5, 255, 5, 5, 5, 0, 5, 5, 5, 255, 5, 5, 5, 0])
        let alpha = icon([square(1, bits: 32, [5, 5, 5, 9], mask: 0x80)])
        #expect(try packed(session(alpha).decode(straight())) == [5, 5, 5, 9])
        let none = icon([square(1, bits: 32, [5, 5, 5, 0], mask: 0)])
        #expect(try packed(session(none).decode(straight())) == [5, 5, 5, 255])
    }

    @Test func `a PNG may be an entry`() throws {
        let data = icon([square(1, bits: 24, [5, 5, 5]), png])
        let session = try session(data)
        #expect(try session.properties()?.size == PixelSize(width: 3, height: 3))
        #expect(try packed(session.decode(straight())).prefix(4) == [1, 2, 3, 4])
    }

    @Test func `a cursor is read as an icon`() throws {
        #expect(try session(icon([square(1, bits: 24, [5, 5, 5])], type: 2)).properties()?.format == .ico)
    }

    @Test func `invalid entries are ignored if there is a valid one`() throws {
        let good = square(1, bits: 24, [5, 5, 5])
        let data = icon([[1, 2, 3, 4, 5, 6, 7, 8, 9], good, []])
        #expect(try session(data).frames().count == 1)
        #expect(decodingError { _ = try session(icon([[9, 9, 9, 9, 9, 9, 9, 9]])).properties() }?.fault == .data)
        #expect(decodingError { _ = try session(icon([])).properties() }?.fault == .data)
    }

    @Test func `every shorter file is an error or an image with fewer rows of mask`() throws {
        let data = icon([square(2, bits: 24, [5, 5, 5], mask: 0x80)])
        for count in 4..<data.count {
            let error = decodingError { _ = try session(data.prefix(count)).decode(straight()) }
            #expect(error == nil || error?.fault == .data, "\(count)")
        }
    }

    @Test func `any split gives the same images`() throws {
        let data = icon([square(2, bits: 24, [5, 6, 7], mask: 0x40), png])
        for step in [1, 5] {
            let open = try session(data, inPiecesOf: step)
            for frame in 0..<2 {
                var options = straight()
                options.frame = frame
                #expect(try packed(open.decode(options)) == packed(session(data).decode(options)))
            }
        }
    }
}
