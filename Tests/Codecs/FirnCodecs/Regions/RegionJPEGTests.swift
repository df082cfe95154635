import CFirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests regions of JPEG: every subsampling, restart markers, scales.
@Suite struct RegionJPEGTests {
    private static let subsamplings: [[(Int, Int)]] = [
        [(1, 1)], [(1, 1), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)], [(1, 2), (1, 1), (1, 1)],
        [(2, 2), (1, 1), (1, 1)], [(4, 1), (1, 1), (1, 1)], [(2, 2), (2, 1), (1, 2)], [(2, 2)],
    ]

    private static func file(_ factors: [(Int, Int)], interval: Int = 0, progressive: Bool = false) -> HandmadeJPEG {
        var file = HandmadeJPEG(width: 203, height: 157, factors: factors, restartInterval: interval)
        file.isSequential = !progressive
        file.scans = [HandmadeJPEG.Scan(components: Array(factors.indices))]
        return file
    }

    @Test(arguments: subsamplings, [false, true])
    func `regions equal the crop of the whole`(factors: [(Int, Int)], progressive: Bool) throws {
        try expectRegions(RegionJPEGTests.file(factors, progressive: progressive).data, "\(factors) \(progressive)")
    }

    @Test(arguments: subsamplings)
    func `regions from restart intervals equal the crop of the whole`(factors: [(Int, Int)]) throws {
        let across = factors.count == 1 ? 1 : factors.map(\.0).max() ?? 1
        let mcus = (203 + 8 * across - 1) / (8 * across)
        // Parts of a row, a row, two rows, and intervals that end anywhere.
        for interval in [1, 2, 13, mcus, mcus * 2, 5] {
            try expectRegions(RegionJPEGTests.file(factors, interval: interval).data, "\(factors) every \(interval)")
        }
    }

    @Test func `only the needed restart intervals are decoded`() throws {
        var file = RegionJPEGTests.file([(1, 1)], interval: 26)
        let intact = file.data
        var chain = ByteChain()
        chain.append(intact)
        chain.finish()
        var index = try #require(try PartHead(chain).flatMap { RestartIndex($0) })
        #expect(index.count == 20 && index.rowsPerInterval == 1)
        let part = try #require(try FilePart(PixelArea(3, 120, 20, 9), &index, chain))
        // Rows of MCUs 14 to 17.
        #expect(part.area == PixelArea(3, 8, 20, 9))
        #expect(try session(part.data).properties()?.size == PixelSize(width: 203, height: 32))
        // Without the marker after interval 3, the index ends there.
        file.restartInterval = 26
        let marker = try #require(intact.firstRange(of: Data([0xFF, 0xD3])))
        var damaged = intact
        damaged.replaceSubrange(marker, with: [0xFF, 0xD5])
        chain = ByteChain()
        chain.append(damaged)
        chain.finish()
        index = try #require(try PartHead(chain).flatMap { RestartIndex($0) })
        #expect(try FilePart(PixelArea(3, 120, 20, 9), &index, chain) == nil)
        #expect(index.ends.count == 3)
    }

    @Test(arguments: [1, 2, 7, 4096])
    func `the index does not depend on the pieces of the file`(step: Int) throws {
        let file = RegionJPEGTests.file([(2, 2), (1, 1), (1, 1)], interval: 1).data
        func starts(_ step: Int) throws -> [Int] {
            var chain = ByteChain()
            for at in stride(from: 0, to: file.count, by: step) { chain.append(file[at..<min(at + step, file.count)]) }
            chain.finish()
            var index = try #require(try PartHead(chain).flatMap { RestartIndex($0) })
            #expect(try index.extend(to: index.count, in: chain))
            return index.starts
        }
        #expect(try starts(step) == starts(file.count))
    }

    @Test(arguments: [2, 4, 8], [false, true])
    func `an aligned region at a scale is the crop of the whole at that scale`(level: Int, progressive: Bool) throws {
        for chroma in [ChromaSubsampling.full, .quarter] {
            let file = try JPEGEncoder(quality: 0.8, progressive: progressive, chroma: chroma)
                .encode(JPEGImages.waves(width: 640, height: 481))
            let decoder = try session(file)
            var options = straight()
            options.subsamplingLevel = level
            let whole = try decoder.decode(options)
            for area in [
                PixelArea(128, 64, 256, 128), PixelArea(0, 0, 64, 481), PixelArea(8, 328, 632, 153),
                PixelArea(320, 160, 8, 8),
            ] {
                options.region = ImageRegion(area)
                let part = try decoder.decode(options)
                func scaled(_ edge: Int) -> Int { (edge + level - 1) / level }
                let expected = PixelArea(
                    area.x / level, area.y / level, scaled(area.x + area.size.width) - area.x / level,
                    scaled(area.y + area.size.height) - area.y / level)
                #expect(part.size == expected.size)
                let difference = JPEGImages.difference(packed(part), crop(whole, expected))
                // The whole image at an eighth is decoded from the first scan of a progressive file alone, that at a
                // quarter from the lowest coefficients of a sequential one.
                let most = progressive && level == 8 ? 12 : !progressive && level == 4 ? 3 : 0
                #expect(difference.most <= most, "\(chroma), \(area), \(difference)")
            }
        }
    }

    @Test func `a damaged region is not decoded again for the same options`() throws {
        let reader = LibraryReader(FIRN_CODEC_JPEG, format: .jpeg, access: .forwards, limits: ImageLimits(), host: .own)
        let decoder = FormatSession(reader, limits: ImageLimits())
        let file = RegionJPEGTests.file([(1, 1)]).data
        try decoder.append(file.prefix(file.count / 2))
        decoder.finish()
        var options = straight()
        options.region = .pixels(x: 0, y: 100, width: 50, height: 50)
        #expect(decodingError { _ = try decoder.decode(options) }?.fault == .data)
        let made = reader.decodersMade
        #expect(decodingError { _ = try decoder.decode(options) }?.fault == .data)
        #expect(reader.decodersMade == made)
        // The rows above are there.
        options.region = .pixels(x: 0, y: 0, width: 50, height: 20)
        #expect(try decoder.decode(options).size == PixelSize(width: 50, height: 20))
    }

    @Test func `further regions of a progressive file come from the coefficients of the first`() throws {
        let file = try JPEGEncoder(quality: 0.8, progressive: true).encode(JPEGImages.waves(width: 800, height: 600))
        let whole = try session(file).decode(straight())
        let reader = LibraryReader(FIRN_CODEC_JPEG, format: .jpeg, access: .forwards, limits: ImageLimits(), host: .own)
        var chain = ByteChain()
        chain.append(file)
        chain.finish()
        try reader.scan(&chain)
        for area in [
            PixelArea(101, 203, 300, 151), PixelArea(0, 0, 64, 64), PixelArea(600, 400, 200, 200),
            PixelArea(333, 7, 5, 590),
        ] {
            let request = RowRequest(layout: .rgba8, area: area)
            let rows = try #require(try reader.openFrame(request, chain))
            var bytes = [UInt8](repeating: 0, count: area.size.area * 4)
            var done = 0
            while done < area.size.height {
                done += try bytes.withUnsafeMutableBytes { memory in
                    let row = area.size.width * 4
                    let rest = try RowMemory(
                        #require(memory.baseAddress) + done * row, bytesPerRow: row, rowBytes: row,
                        rows: area.size.height - done)
                    return try rows.read(chain, into: rest).rows
                }
            }
            #expect(bytes == crop(whole, area), "\(area)")
        }
        // One for the header, one for all regions.
        #expect(reader.decodersMade == 2)
    }

    @Test func `a region that is not aligned is reduced like its crop`() throws {
        let image = try JPEGImages.waves(width: 640, height: 480)
        let decoder = try session(JPEGEncoder(quality: 0.9).encode(image))
        var options = straight()
        let area = PixelArea(101, 33, 401, 303)
        let whole = try decoder.decode(options)
        let cut = try Bitmap(size: area.size, format: .rgba8Straight, isOpaque: true) { pixels in
            let bytes = crop(whole, area)
            for y in 0..<area.size.height {
                let row = Array(bytes[y * area.size.width * 4..<(y + 1) * area.size.width * 4])
                pixels.row(y).copyMemory(from: row, byteCount: row.count)
            }
        }
        options.region = ImageRegion(area)
        options.targetSize = TargetSize(50)
        let part = try decoder.decode(options)
        #expect(part.size == Reduction.size(of: area.size, covering: PixelSize(width: 50, height: 38)))
        let expected = try cut.reduced(to: part.size)
        #expect(JPEGImages.difference(packed(part), packed(expected)).most <= 1)
    }
}
