import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests regions of sequential JPEGs by an index of their coded data.
@Suite struct PartIndexTests {
    /// Returns a session of a file of any size, of which the pieces may be small.
    private func session(_ file: Data, step: Int = .max) throws -> FormatSession {
        let limits = ImageLimits()
        let session = FormatSession(JPEGReader(limits: limits, minimumSequentialPixels: 1), limits: limits)
        for start in stride(from: 0, to: file.count, by: min(step, file.count)) {
            try session.append(file[start..<min(start + min(step, file.count), file.count)])
        }
        session.finish()
        return session
    }

    /// Makes the index of a file; `nil` if it has none.
    private func index(_ file: Data, step: Int = .max) throws -> Data? {
        let session = try session(file, step: step)
        guard let count = try session.indexedBytes() else { return nil }
        var rows = 0
        try session.streamRows(.indexing) { rows += $2 }
        let size = try #require(try session.properties()?.size)
        #expect(rows == size.divided(by: 4).height)
        if let index = session.partIndex { #expect(index.count == count) }
        return session.partIndex
    }

    private func expectParts(_ file: Data, _ note: String, rounds: Int = 12) throws {
        let index = try #require(try index(file), "\(note)")
        let whole = try session(file).decode(straight())
        var numbers = SeededGenerator(seed: 3)
        for _ in 0..<rounds {
            let width = Int.random(in: 1...whole.size.width / 3, using: &numbers)
            let height = Int.random(in: 1...whole.size.height / 4, using: &numbers)
            // In the lower half, so that most codes before the part are not needed.
            let area = PixelArea(
                Int.random(in: 0...whole.size.width - width, using: &numbers),
                Int.random(in: whole.size.height / 2...whole.size.height - height, using: &numbers), width, height)
            let session = try session(file)
            session.partIndex = index
            var options = straight()
            options.region = ImageRegion(area)
            #expect(try packed(session.decode(options)) == crop(whole, area), "\(note), \(area)")
        }
    }

    @Test(arguments: [
        [(1, 1)], [(1, 1), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)], [(2, 2), (1, 1), (1, 1)], [(2, 2)],
    ])
    func `parts of every subsampling equal the crop of the whole`(factors: [(Int, Int)]) throws {
        var file = HandmadeJPEG(width: 803, height: 357, factors: factors)
        file.isSequential = true
        file.scans = [HandmadeJPEG.Scan(components: Array(factors.indices))]
        try expectParts(file.data, "\(factors)")
    }

    @Test(arguments: [ChromaSubsampling.full, .quarter], [false, true])
    func `parts of photographs equal the crop of the whole`(chroma: ChromaSubsampling, isOptimized: Bool) throws {
        // Noise has more bytes than a window.
        for image in [
            try JPEGImages.waves(width: 1300, height: 900),
            try RegionScene.noise(PixelSize(width: 700, height: 523), isOpaque: true),
        ] {
            let file = try JPEGEncoder(quality: 0.9, chroma: chroma, optimized: isOptimized).encode(image)
            try expectParts(file, "\(chroma), optimized \(isOptimized), \(file.count) bytes")
        }
    }

    @Test func `an index does not depend on the pieces of the file`() throws {
        let file = try JPEGEncoder(quality: 0.9).encode(JPEGImages.waves(width: 900, height: 700))
        let whole = try #require(try index(file))
        for step in [1, 7, 4096] { #expect(try index(file, step: step) == whole) }
    }

    @Test func `a part is decoded without the codes before it`() throws {
        let file = try JPEGEncoder(quality: 0.9).encode(JPEGImages.waves(width: 1200, height: 900))
        let index = try #require(try index(file))
        let area = PixelArea(500, 700, 130, 99)
        let expected = crop(try session(file).decode(straight()), area)
        var damaged = file
        let start = try #require(try PartHead(ByteChain(whole: file))?.end)
        damaged.replaceSubrange(
            start + 100..<file.count / 2, with: repeatElement(0, count: file.count / 2 - start - 100))
        var options = straight()
        options.region = ImageRegion(area)
        let session = try session(damaged)
        session.partIndex = index
        #expect(try packed(session.decode(options)) == expected)
        // The pieces of the scan are decoded, and differ.
        #expect(try packed(self.session(damaged).decode(options)) != expected)
    }

    @Test func `files with restart markers need no index, unusual ones have none`() throws {
        var file = HandmadeJPEG(width: 800, height: 360, factors: [(2, 2), (1, 1), (1, 1)], restartInterval: 5)
        file.isSequential = true
        file.scans = [HandmadeJPEG.Scan(components: [0, 1, 2])]
        #expect(try session(file.data).indexedBytes() == 0)
        #expect(try index(file.data) == nil)
        // Intervals that end anywhere in a row.
        file.restartInterval = 7
        #expect(try session(file.data).indexedBytes() == nil)
        let image = try JPEGImages.waves(width: 800, height: 600)
        #expect(try index(JPEGEncoder(quality: 0.8, progressive: true).encode(image)) == nil)
        #expect(try index(JPEGEncoder(quality: 0.8).encode(image)) != nil)
    }

    @Test func `an index that is damaged gives other pixels or an error, of this part alone`() throws {
        let file = try JPEGEncoder(quality: 0.9).encode(JPEGImages.waves(width: 1200, height: 900))
        let intact = try #require(try index(file))
        var numbers = SeededGenerator(seed: 11)
        var options = straight()
        options.region = .pixels(x: 600, y: 500, width: 300, height: 200)
        for round in 0..<300 {
            var index = intact
            if round % 10 == 0 {
                for at in index.indices { index[at] = UInt8.random(in: 0...255, using: &numbers) }
            } else {
                for _ in 0..<40 {
                    index[Int.random(in: 0..<index.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
                }
            }
            let session = try session(file)
            session.partIndex = index
            if let part = try? session.decode(options) { #expect(part.size == PixelSize(width: 300, height: 200)) }
        }
        // An index of another image is not used.
        let session = try session(file)
        session.partIndex = intact.dropLast()
        #expect(try packed(session.decode(options)) == packed(self.session(file).decode(options)))
    }

    @Test func `all differences get codes, and those that a file has stay`() throws {
        let table = try #require(
            StatedCodes.tables(in: [0] + [0, 2, 1] + [UInt8](repeating: 0, count: 13) + [3, 4, 5])?.first)
        let whole = try #require(table.completed())
        #expect(Set(whole.symbols) == Set(0...11))
        for symbol in table.symbols { #expect(whole.codes[symbol]! == table.codes[symbol]!) }
        // No code is a prefix of another, and no code is all ones.
        let codes = whole.codes.values.map { code in
            String(repeating: "0", count: code.length - String(code.bits, radix: 2).count) + String(code.bits, radix: 2)
        }
        for code in codes {
            #expect(codes.filter { $0.hasPrefix(code) } == [code] && code.contains("0"))
        }
        // No room: all 16-bit codes are taken.
        let full = StatedCodes.tables(
            in: [0] + [1] + [UInt8](repeating: 1, count: 15) + (0..<16).map { UInt8($0 % 10) })
        #expect(full?.first?.completed() == nil)
    }
}
