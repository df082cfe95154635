import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests a progressive JPEG at an eighth, decoded from its DC coefficients alone.
@Suite struct JPEGEighthTests {
    /// Returns options for straight pixels at the smallest scale.
    private static func eighth() -> DecodingOptions {
        var options = straight()
        options.subsamplingLevel = 8
        return options
    }

    /// One scan, one scan for each component, another order, and bit by bit.
    static let scripts: [[HandmadeJPEG.Scan]] = [
        [HandmadeJPEG.Scan(components: [0, 1, 2])],
        [0, 1, 2].map { HandmadeJPEG.Scan(components: [$0]) },
        [HandmadeJPEG.Scan(components: [2]), HandmadeJPEG.Scan(components: [0, 1])],
        [
            HandmadeJPEG.Scan(components: [0, 1, 2], low: 3), HandmadeJPEG.Scan(components: [1], high: 3, low: 2),
            HandmadeJPEG.Scan(components: [0, 2], high: 3, low: 2),
            HandmadeJPEG.Scan(components: [0, 1, 2], high: 2, low: 1),
            HandmadeJPEG.Scan(components: [0, 1, 2], high: 1, low: 0),
        ],
    ]

    @Test(arguments: scripts, [0, 1, 5])
    func `each scan script gives every block's mean`(scans: [HandmadeJPEG.Scan], restartInterval: Int) throws {
        let file = HandmadeJPEG(
            width: 61, height: 45, factors: [(1, 1), (1, 1), (1, 1)], step: 31, restartInterval: restartInterval,
            scans: scans)
        let bitmap = try session(file.data).decode(JPEGEighthTests.eighth())
        #expect(bitmap.size == PixelSize(width: 8, height: 6))
        let pixels = packed(bitmap)
        for y in 0..<6 {
            for x in 0..<8 {
                let expected = (0..<3).map { file.sample($0, x, y) } + [255]
                #expect(Array(pixels[(y * 8 + x) * 4..<(y * 8 + x) * 4 + 4]) == expected, "at \(x), \(y)")
            }
        }
    }

    @Test(arguments: [[(2, 1), (1, 1), (1, 1)], [(1, 2), (1, 1), (1, 1)], [(4, 1), (1, 1), (2, 1)]])
    func `subsampled color is repeated`(factors: [(Int, Int)]) throws {
        let file = HandmadeJPEG(
            width: 61, height: 45, factors: factors, step: 8, scans: [HandmadeJPEG.Scan(components: [0, 1, 2])])
        let pixels = try packed(session(file.data).decode(JPEGEighthTests.eighth()))
        for y in 0..<6 {
            for x in 0..<8 {
                for component in 0..<3 {
                    let column = x * factors[component].0 / factors[0].0
                    let row = y * factors[component].1 / factors[0].1
                    #expect(pixels[(y * 8 + x) * 4 + component] == file.sample(component, column, row))
                }
            }
        }
    }

    @Test func `bits that are missing count as the middle`() throws {
        let file = HandmadeJPEG(
            width: 16, height: 8, step: 8, scans: [HandmadeJPEG.Scan(components: [0], low: 1)],
            coefficient: { _, column, _ in column * 2 - 2 })
        let pixels = try session(file.data).decode(JPEGEighthTests.eighth()).pixels
        #expect(pixels.map(\.first) == [127, 129])
    }

    @Test func `a decode that waits for bytes continues byte by byte to the same image`() throws {
        let file = HandmadeJPEG(
            width: 300, height: 200, factors: [(1, 1), (1, 1), (1, 1)], restartInterval: 7,
            scans: JPEGEighthTests.scripts[3]
        ).data
        let whole = try packed(session(file).decode(JPEGEighthTests.eighth()))
        let open = try openSession(file)
        var needed: Int?
        for (index, byte) in file.enumerated() {
            try open.append(Data([byte]))
            if try open.advance(JPEGEighthTests.eighth()), needed == nil { needed = index + 1 }
        }
        #expect(open.bytesNeeded == needed)
        #expect(try packed(open.decode(JPEGEighthTests.eighth())) == whole)
    }

    @Test func `an eighth differs little from a full decode's, and needs the first bytes only`() throws {
        let image = try JPEGImages.waves(width: 320, height: 200)
        let progressive = try JPEGEncoder(quality: 0.92, progressive: true).encode(image)
        let sequential = try JPEGEncoder(quality: 0.92).encode(image)
        let whole = try session(progressive)
        let eighth = try packed(whole.decode(JPEGEighthTests.eighth()))
        let needed = try #require(whole.bytesNeeded)
        #expect(needed < progressive.count / 2)
        let full = try packed(session(sequential).decode(JPEGEighthTests.eighth()))
        let difference = JPEGImages.difference(eighth, full)
        #expect(difference.mean < 1 && difference.most <= 4, "\(difference)")

        let first = try openSession(progressive)
        try first.append(progressive.prefix(needed - 1))
        #expect(try !first.advance(JPEGEighthTests.eighth()))
        #expect(decodingError { _ = try first.decode(JPEGEighthTests.eighth()) }?.fault == .incomplete)
        try first.append(progressive.dropFirst(needed - 1).prefix(1))
        #expect(try first.advance(JPEGEighthTests.eighth()))
        #expect(try packed(first.decode(JPEGEighthTests.eighth())) == eighth)
    }

    @Test func `a file cut short in its first scan is an error`() throws {
        let file = HandmadeJPEG(width: 300, height: 200, restartInterval: 9).data
        for length in [150, 300, file.count - 8] {
            let open = try session(file.prefix(length))
            #expect(decodingError { _ = try open.decode(JPEGEighthTests.eighth()) }?.fault == .data, "\(length)")
        }
    }

    @Test func `damage is left to the library`() throws {
        let file = HandmadeJPEG(width: 300, height: 200, restartInterval: 9).data
        let marker = try #require(file.indices.dropLast().first { file[$0] == 0xFF && file[$0 + 1] == 0xD3 })
        var damaged = file
        damaged[marker + 1] = 0xD6
        let open = try session(damaged)
        #expect(try open.decode(JPEGEighthTests.eighth()).size == PixelSize(width: 38, height: 25))
        #expect(open.bytesNeeded == nil)
    }

    @Test func `a file with any byte changed gives an image or an error, also in pieces`() throws {
        let file = HandmadeJPEG(
            width: 40, height: 24, factors: [(2, 2), (1, 1), (1, 2)], restartInterval: 2,
            scans: JPEGEighthTests.scripts[3]
        ).data
        for index in 4..<file.count {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var damaged = file
                damaged[index] ^= change
                let whole = try? packed(session(damaged).decode(JPEGEighthTests.eighth()))
                let open = try openSession(damaged)
                var pieces: [UInt8]?
                do {
                    for start in stride(from: 0, to: damaged.count, by: 37) {
                        try open.append(damaged[start..<min(start + 37, damaged.count)])
                        _ = try open.advance(JPEGEighthTests.eighth())
                    }
                    open.finish()
                    pieces = try packed(open.decode(JPEGEighthTests.eighth()))
                } catch {}
                #expect(whole == pieces, "byte \(index) changed by \(change)")
            }
        }
    }

    @Test func `a small image with coarse color is decoded whole`() throws {
        let image = try JPEGImages.waves(width: 320, height: 200)
        let open = try session(JPEGEncoder(quality: 0.8, progressive: true).encode(image))
        let eighth = try packed(open.decode(JPEGEighthTests.eighth()))
        #expect(open.bytesNeeded == nil)
        let sequential = try session(JPEGEncoder(quality: 0.8).encode(image)).decode(JPEGEighthTests.eighth())
        #expect(eighth == packed(sequential))
    }

    @Test func `a size above an eighth is decoded whole`() throws {
        let image = try JPEGImages.waves(width: 320, height: 200)
        let file = try JPEGEncoder(quality: 0.95, progressive: true).encode(image)
        var quarter = straight()
        quarter.targetSize = TargetSize(41)
        let sequential = try session(JPEGEncoder(quality: 0.95).encode(image)).decode(quarter)
        #expect(try packed(session(file).decode(quarter)) == packed(sequential))
    }
}
