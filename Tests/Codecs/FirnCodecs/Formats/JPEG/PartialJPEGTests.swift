import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests JPEGs that are cut short or damaged, and are decoded as far as they go.
@Suite struct PartialJPEGTests {
    private static let size = PixelSize(width: 320, height: 240)

    private static func file(isProgressive: Bool) throws -> Data {
        try JPEGEncoder(quality: 0.9, progressive: isProgressive).encode(
            JPEGImages.waves(width: size.width, height: size.height))
    }

    private func partial(_ change: (inout DecodingOptions) -> Void = { _ in }) -> DecodingOptions {
        var options = straight()
        options.allowsPartial = true
        change(&options)
        return options
    }

    /// Returns the number of first rows of which no pixel is missing. No pixel of the others is there.
    private func rows(_ image: Bitmap) throws -> Int {
        let pixels = packed(image)
        let alpha = stride(from: 3, to: pixels.count, by: 4).map { pixels[$0] }
        let rows = stride(from: 0, to: alpha.count, by: image.size.width).prefix { alpha[$0] == 255 }.count
        #expect(alpha.prefix(rows * image.size.width).allSatisfy { $0 == 255 })
        #expect(alpha.dropFirst(rows * image.size.width).allSatisfy { $0 == 0 })
        return rows
    }

    @Test(arguments: [false, true])
    func `the rows of a cut file are those of the whole one, and more bytes give more of them`(
        isProgressive: Bool
    ) throws {
        let file = try PartialJPEGTests.file(isProgressive: isProgressive)
        let whole = try packed(session(file).decode(straight()))
        var counts: [Int] = []
        for part in 3...15 {
            let cut = file.prefix(file.count * part / 16)
            let strict = try session(cut)
            let error = decodingError { _ = try strict.decode(straight()) }
            #expect(error?.fault == .data && strict.damage == nil)
            let open = try session(cut)
            let image = try open.decode(partial())
            #expect(image.size == PartialJPEGTests.size)
            #expect(open.damage == error, "\(String(describing: open.damage))")
            counts.append(try rows(image))
            let (row, upper) = (PartialJPEGTests.size.width * 4, max(0, (counts.last ?? 0) - 16))
            let (seen, known) = (packed(image).prefix(upper * row), whole.prefix(upper * row))
            // Detail is missing in rows that later scans complete.
            if isProgressive {
                #expect(upper == 0 || JPEGImages.difference(Array(seen), Array(known)).mean < 24)
            } else {
                #expect(seen == known)
            }
        }
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 <= $1 }, "\(counts)")
        #expect(try #require(counts.first) > 0 && counts.last == (isProgressive ? 240 : counts.last), "\(counts)")
        #expect(isProgressive || Set(counts).count > 8, "\(counts)")
        let open = try session(file)
        #expect(try packed(open.decode(partial())) == whole && open.damage == nil)
    }

    @Test func `a progressive file that ends in its first scan has the rows of that scan`() throws {
        let file = try PartialJPEGTests.file(isProgressive: true)
        let scans = zip(file, file.dropFirst()).enumerated().filter { $1 == (0xFF, 0xDA) }.map(\.offset)
        let (start, end) = (try #require(scans.first), try #require(scans.dropFirst().first))
        var counts: [Int] = []
        for part in 1...8 {
            let image = try? session(file.prefix(start + (end - start) * part / 8)).decode(partial())
            counts.append(try image.map(rows) ?? 0)
        }
        #expect(Set(counts).count > 5 && counts.last == 240, "\(counts)")
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 <= $1 }, "\(counts)")
    }

    @Test(arguments: [false, true])
    func `sizes and regions go as far as the whole image`(isProgressive: Bool) throws {
        let file = try PartialJPEGTests.file(isProgressive: isProgressive)
        let cut = file.prefix(file.count / 2)
        let whole = try session(cut).decode(partial())
        let known = try rows(whole)
        for side in [40, 100, 160, 300] {
            let open = try session(cut)
            let image = try open.decode(partial { $0.targetSize = TargetSize(side) })
            let difference = try rows(image) - known * image.size.height / 240
            #expect(abs(difference) <= 16 * image.size.height / 240 + 1, "\(side): \(difference)")
            #expect(isProgressive || open.damage != nil)
        }
        let region = ImageRegion.pixels(x: 70, y: 20, width: 100, height: 30)
        let open = try session(cut)
        let part = try open.decode(partial { $0.region = region })
        // A region of one scan is complete if its rows are there.
        #expect((open.damage != nil) == isProgressive)
        let row = 320 * 4
        let expected = (20..<50).flatMap { packed(whole)[$0 * row + 280..<$0 * row + 680] }
        #expect(packed(part) == expected)
        // The session does not take what it has for the whole.
        #expect(decodingError { _ = try open.decode(straight()) }?.fault == .data)
        guard !isProgressive else { return }
        let below = ImageRegion.pixels(x: 0, y: 220, width: 64, height: 20)
        #expect(decodingError { _ = try session(cut).decode(partial { $0.region = below }) }?.fault == .data)
    }

    @Test func `a file whose header is incomplete has no image`() throws {
        let file = try PartialJPEGTests.file(isProgressive: false)
        for count in [4, 60, 200] {
            #expect(decodingError { _ = try session(file.prefix(count)).decode(partial()) }?.fault == .data)
        }
    }
}
