import FirnCodecs
import FirnImage
import FoundationEssentials
import FirnSystem
import Testing

/// Tests JPEGs during their download: rows, previews, truncated files.
@Suite struct JPEGArrivalTests {
    private static func progressive() throws -> Data {
        try JPEGEncoder(quality: 0.9, progressive: true).encode(JPEGImages.waves(width: 240, height: 160))
    }

    private static func sequential() throws -> Data {
        try JPEGEncoder(quality: 0.9).encode(JPEGImages.waves(width: 240, height: 160))
    }

    @Test func `previews of a progressive file approach the final image`() throws {
        let file = try JPEGArrivalTests.progressive()
        let whole = try packed(session(file).decode(straight()))
        let open = try openSession(file)
        var differences: [Double] = []
        var sizes: [Int] = []
        for (index, byte) in file.enumerated() {
            try open.append(Data([byte]))
            guard let preview = try open.preview(straight()) else { continue }
            #expect(preview.size == PixelSize(width: 240, height: 160) && preview.isOpaque)
            // The last scan is not a preview.
            if try open.advance(straight()) { break }
            differences.append(JPEGImages.difference(packed(preview), whole).mean)
            sizes.append(index + 1)
        }
        #expect((2...8).contains(differences.count), "\(differences)")
        #expect(zip(differences, differences.dropFirst()).allSatisfy { $0 >= $1 }, "\(differences)")
        #expect(try #require(differences.last) < 3, "\(differences)")
        // Each preview has a third more bytes than the one before.
        #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $1 >= $0 + $0 / 3 - 2 }, "\(sizes)")
        open.finish()
        #expect(try packed(open.decode(straight())) == whole)
    }

    @Test func `missing rows are transparent even in a layout without alpha`() throws {
        let file = try JPEGArrivalTests.sequential()
        var options = DecodingOptions()
        options.pixelFormat = .rgb8
        let open = try openSession(file)
        try open.append(file.prefix(file.count / 2))
        let early = try #require(try open.preview(options))
        #expect(early.format == .bgra8Premultiplied && !early.isOpaque)
        try open.append(file.dropFirst(file.count / 2))
        open.finish()
        let image = try open.decode(options)
        #expect(image.format == .rgb8)
        let whole = try packed(image.converted(to: .bgra8Premultiplied))
        let seen = packed(early)
        let rows = stride(from: 0, to: seen.count, by: 240 * 4).prefix { seen[$0 + 3] != 0 }.count
        #expect((1..<160).contains(rows))
        #expect(seen.prefix(rows * 240 * 4) == whole.prefix(rows * 240 * 4))
        #expect(seen.dropFirst(rows * 240 * 4).allSatisfy { $0 == 0 })
    }

    @Test func `a large progressive file gives the image of the sequential one`() throws {
        let image = try JPEGImages.waves(width: 900, height: 700)
        let whole = try packed(session(JPEGEncoder(quality: 0.9).encode(image)).decode(straight()))
        let file = try JPEGEncoder(quality: 0.9, progressive: true).encode(image)
        #expect(try packed(session(file).decode(straight())) == whole)
    }

    @Test func `memory for a progressive image is allocated before its last byte arrives`() throws {
        // Below the size from which large pages are requested: 957 pages.
        let image = try JPEGImages.waves(width: 1_000, height: 980)
        let file = try JPEGEncoder(quality: 0.9, progressive: true).encode(image)
        let open = try openSession(file)
        try open.append(file.dropLast())
        #expect(try !open.advance(straight()))
        try open.append(file.suffix(1))
        open.finish()
        let before = JPEGArrivalTests.pageFaults
        _ = try open.decode(straight())
        #expect(JPEGArrivalTests.pageFaults - before < 400)
    }

    /// The page faults of this thread.
    private static var pageFaults: Int {
        var usage = rusage()
        // RUSAGE_THREAD, which Swift does not import from the headers.
        getrusage(__rusage_who_t(1), &usage)
        return usage.ru_minflt
    }

    @Test func `scans beyond measure give eight previews`() throws {
        let bits = (0..<12).reversed()
        let scans = bits.map { HandmadeJPEG.Scan(components: [0], high: $0 == 11 ? 0 : $0 + 1, low: $0) }
        let file = HandmadeJPEG(width: 64, height: 64, step: 1, scans: scans, coefficient: { _, x, y in x * 64 + y })
            .data
        let open = try openSession(file)
        var count = 0
        for byte in file {
            try open.append(Data([byte]))
            if try open.preview(straight()) != nil { count += 1 }
        }
        #expect((1...8).contains(count), "\(count)")
    }

    @Test func `nothing is shown before every component has arrived`() throws {
        let file = HandmadeJPEG(
            width: 64, height: 64, factors: [(1, 1), (1, 1), (1, 1)], scans: JPEGEighthTests.scripts[1]
        ).data
        let last = try #require(file.indices.dropLast().last { file[$0] == 0xFF && file[$0 + 1] == 0xDA })
        let open = try openSession(file)
        try open.append(file.prefix(last + 20))
        #expect(try open.preview(straight()) == nil)
    }

    @Test func `a file of one scan shows its rows, and below them nothing`() throws {
        let file = try JPEGArrivalTests.sequential()
        let whole = try packed(session(file).decode(straight()))
        let open = try openSession(file)
        try open.append(file.prefix(file.count / 2))
        let part = try packed(#require(try open.preview(straight())))
        let row = 240 * 4
        let rows = try #require((0..<160).firstIndex { part[$0 * row + 3] == 0 })
        #expect(rows >= 32 && rows < 128)
        #expect(part.prefix(rows * row) == whole.prefix(rows * row))
        #expect(part.dropFirst(rows * row).allSatisfy { $0 == 0 })
        #expect(try open.preview(straight()) == nil)
    }

    @Test(arguments: [false, true])
    func `decoding ahead gives the same image for any pieces`(isProgressive: Bool) throws {
        let file = try isProgressive ? JPEGArrivalTests.progressive() : JPEGArrivalTests.sequential()
        let whole = try packed(session(file).decode(straight()))
        for size in [1, 61, 4_099] {
            let open = try openSession(file)
            for start in stride(from: 0, to: file.count, by: size) {
                try open.append(file[start..<min(start + size, file.count)])
                _ = try open.advance(straight())
            }
            open.finish()
            #expect(try open.advance(straight()))
            #expect(try packed(open.decode(straight())) == whole, "pieces of \(size)")
        }
    }

    @Test func `a truncated file is returned as far as it goes if requested`() throws {
        var options = straight()
        options.allowsPartial = true
        for file in try [JPEGArrivalTests.progressive(), JPEGArrivalTests.sequential()] {
            let whole = try packed(session(file).decode(straight()))
            let cut = file.prefix(file.count * 3 / 4)
            #expect(decodingError { _ = try session(cut).decode(straight()) }?.fault == .data)
            let part = try packed(session(cut).decode(options))
            let upper = 240 * 4 * 40
            #expect(JPEGImages.difference(Array(part.prefix(upper)), Array(whole.prefix(upper))).mean < 4)
        }
    }

    @Test(arguments: [false, true])
    func `a cancelled decode stops`(isProgressive: Bool) throws {
        let file = try isProgressive ? JPEGArrivalTests.progressive() : JPEGArrivalTests.sequential()
        let flag = CancellationFlag()
        let open = try openSession(file, cancellation: flag)
        try open.append(file.prefix(file.count / 2))
        _ = try open.advance(straight())
        flag.cancel()
        #expect(decodingError { _ = try open.advance(straight()) }?.fault == .cancelled)
    }
}
