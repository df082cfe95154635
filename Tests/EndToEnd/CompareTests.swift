import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests `firn compare`: figures and exit status.
@Suite final class CompareTests: CommandSuite {
    override init() throws {
        try super.init()
        try scratch.write("a.png", Images.png(64, 48))
        try scratch.write("same.bmp", BMPEncoder().encode(Images.bitmap(64, 48)))
        try scratch.write("near.jpg", JPEGEncoder(quality: 0.9).encode(Images.bitmap(64, 48)))
        try scratch.write("far.jpg", JPEGEncoder(quality: 0.05).encode(Images.bitmap(64, 48)))
        try scratch.write("small.png", Images.png(32, 48))
    }

    private func status(_ words: String...) throws -> Int32 { try firn.run(["compare"] + words, in: scratch).status }

    @Test func `The exit status says whether images are equal, differ or cannot be compared`() throws {
        #expect(try status("a.png", "same.bmp") == 0)
        #expect(try status("a.png", "near.jpg") == 1)
        #expect(try status("a.png", "small.png") == 1)
        try scratch.write("page.png", Images.page)
        for other in ["missing.png", "page.png", "."] { #expect(try status("a.png", other) == 2, "\(other)") }
        #expect(try status("a.png") == 2)
        #expect(try status("a.png", "a.png", "a.png") == 2)
    }

    @Test func `The text has similarity and greatest difference`() throws {
        let equal = try firn.run(["compare", "a.png", "same.bmp"], in: scratch)
        #expect(equal.lines == ["a.png, same.bmp: 64x48, equal"])
        let near = try firn.run(["compare", "a.png", "near.jpg"], in: scratch)
        #expect(near.output.hasPrefix("a.png, near.jpg: 64x48, SSIM 0.9"), "\(near.output)")
        #expect(near.output.contains(" of 3072 pixels differ"))
        let sizes = try firn.run(["compare", "a.png", "small.png"], in: scratch)
        #expect(sizes.lines == ["a.png, small.png: the sizes differ: 64x48 and 32x48"])
        #expect(try firn.run(["compare", "-q", "a.png", "small.png"], in: scratch).output.isEmpty)
    }

    @Test func `Limits accept only differences within their tolerance`() throws {
        struct Line: Decodable {
            let ssim, greatestDifference: Double
            let equal, accepted: Bool
        }
        func line(_ other: String) throws -> Line {
            let run = try firn.run(["compare", "--json", "a.png", other, "--min-ssim", "0.9"], in: scratch)
            return try JSONDecoder().decode(Line.self, from: Data(run.output.utf8))
        }
        let (near, far) = (try line("near.jpg"), try line("far.jpg"))
        #expect(near.accepted && !near.equal && !far.accepted)
        #expect(near.ssim > far.ssim && near.greatestDifference < far.greatestDifference)
        let difference = near.greatestDifference
        #expect(try status("a.png", "near.jpg", "--max-difference", "\(difference)") == 0)
        #expect(try status("a.png", "near.jpg", "--max-difference", "\(difference - 0.5)") == 1)
        #expect(try status("a.png", "near.jpg", "--max-difference", "\(difference)", "--min-ssim", "0.99999") == 1)
        #expect(try status("a.png", "near.jpg", "--max-difference", "256") == 2)
    }

    @Test func `Sixteen bits and later frames count`() throws {
        func wide(_ value: UInt16) throws -> Data {
            try PNGEncoder().encode(
                Bitmap(size: PixelSize(width: 9, height: 9), format: .rgba16Straight) { pixels in
                    for y in 0..<9 {
                        for sample in 0..<36 {
                            pixels.row(y).storeBytes(
                                of: sample % 4 == 3 ? .max : value, toByteOffset: 2 * sample, as: UInt16.self)
                        }
                    }
                })
        }
        try scratch.write("w1.png", wide(30_000))
        try scratch.write("w2.png", wide(30_001))
        #expect(try status("w1.png", "w2.png") == 1)
        #expect(try status("w1.png", "w2.png", "--max-difference", "0.01") == 0)
        func animation(_ last: Int) throws -> Data {
            let session = try GIFEncoder().makeAnimation(
                size: PixelSize(width: 8, height: 8), repetitions: .forever, isOpaque: true, colorProfile: nil,
                cancellation: CancellationFlag())
            for value in [10, last] {
                try session.append(
                    Bitmap(size: PixelSize(width: 8, height: 8), format: .rgba8Straight) { pixels in
                        for y in 0..<8 {
                            for sample in 0..<32 {
                                pixels.row(y).storeBytes(
                                    of: sample % 4 == 3 ? 255 : UInt8(value), toByteOffset: sample, as: UInt8.self)
                            }
                        }
                    }, duration: Duration.milliseconds(100))
            }
            return try session.finish()
        }
        try scratch.write("one.gif", animation(20))
        try scratch.write("two.gif", animation(200))
        try scratch.write("again.gif", animation(20))
        #expect(try status("one.gif", "two.gif") == 1)
        #expect(try status("one.gif", "again.gif") == 0)
        #expect(try firn.run(["compare", "one.gif", "near.jpg"], in: scratch).status == 1)
    }
}
