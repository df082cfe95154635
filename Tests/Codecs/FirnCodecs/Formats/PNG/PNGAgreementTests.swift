import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// libpng reads samples of 16 bits, and the reader of our own the others: what they say of one file has to agree.
@Suite struct PNGAgreementTests {
    struct Kind: CustomTestStringConvertible {
        let colorType: Int
        let depth: Int
        let channels: Int
        var testDescription: String { "type \(colorType), \(depth) bits" }
    }

    static let kinds =
        [1, 2, 4, 8].map { Kind(colorType: 0, depth: $0, channels: 1) }
        + [1, 2, 4, 8].map { Kind(colorType: 3, depth: $0, channels: 1) }
        + [(2, 3), (4, 2), (6, 4)].map { Kind(colorType: $0.0, depth: 8, channels: $0.1) }

    private func image(_ kind: Kind, width: Int, filters: [UInt8], _ random: inout RepeatableNumbers)
        -> HandmadePNG
    {
        let count = (width * kind.channels * kind.depth + 7) / 8
        let rows = (0..<11).map { _ in (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
        var png = HandmadePNG(width: width, height: 11, depth: kind.depth, colorType: kind.colorType, rows: rows)
        png.filters = filters
        if kind.colorType == 3 {
            // Some values have no color.
            png.before = [("PLTE", (0..<33).map { UInt8($0 * 7) }), ("tRNS", [9, 0, 255, 77])]
            if kind.depth < 4 { png.before = [("PLTE", [1, 2, 3, 4, 5, 6]), ("tRNS", [9])] }
        }
        return png
    }

    private func agree(_ data: Data, _ comment: Comment) throws {
        var wide = straight()
        wide.pixelFormat = .rgba16Straight
        let words = try session(data).decode(wide)
        let high = words.withUnsafeBytes { bytes in
            (0..<words.size.height * words.size.width * 4).map { index in
                let row = index / (words.size.width * 4) * words.bytesPerRow
                return UInt8(
                    bytes.load(fromByteOffset: row + index % (words.size.width * 4) * 2, as: UInt16.self) >> 8)
            }
        }
        #expect(try packed(session(data).decode(straight())) == high, comment)
    }

    @Test(arguments: kinds) func `each filter gives libpng's pixels`(_ kind: Kind) throws {
        var random = RepeatableNumbers(seed: 21)
        for filters: [UInt8] in [[0], [1], [2], [3], [4], [4, 3, 2, 1, 0]] {
            for width in [1, 2, 7, 64] {
                let png = image(kind, width: width, filters: filters, &random)
                try agree(png.data, "filters \(filters), width \(width)")
            }
        }
    }

    @Test func `a transparent color is found as libpng finds it`() throws {
        var random = RepeatableNumbers(seed: 21)
        for kind in PNGAgreementTests.kinds where kind.colorType == 0 || kind.colorType == 2 {
            var png = image(kind, width: 16, filters: [0], &random)
            let first = png.rows[0]
            let key =
                kind.colorType == 2 ? [0, first[0], 0, first[1], 0, first[2]] : [0, first[0] >> (8 - kind.depth)]
            png.before = [("tRNS", key)]
            try agree(png.data, "\(kind.testDescription)")
            #expect(try packed(session(png.data).decode(straight()))[3] == 0)
        }
    }

    @Test func `an unknown filter is an error after the rows before it`() throws {
        var png = HandmadePNG(width: 2, height: 3, colorType: 0, rows: [[1, 2], [3, 4], [5, 6]])
        png.filters = [0, 0, 5]
        let error = decodingError { _ = try session(png.data).decode(straight()) }
        #expect(error?.fault == .data)
        var options = straight()
        options.allowsPartial = true
        #expect(
            try packed(session(png.data).decode(options)).prefix(16) == [
                1, 1, 1, 255, 2, 2, 2, 255, 3, 3, 3, 255, 4, 4, 4, 255,
            ])
    }

    @Test func `damage of every byte is an error or an image, however it arrives`() throws {
        var random = RepeatableNumbers(seed: 21)
        let kind = PNGAgreementTests.kinds[8]
        let whole = try PNGEncoder().encode(
            session(image(kind, width: 40, filters: [0], &random).data).decode(straight()))
        for index in 33..<whole.count {
            var damaged = whole
            damaged[damaged.startIndex + index] ^= 0x24
            do {
                _ = try session(damaged, inPiecesOf: 9).decode(straight())
            } catch let error as ImageError {
                #expect(error.fault == .data || error.fault == .unsupported || error.fault == .limit)
            }
        }
    }
}
