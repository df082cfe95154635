import FirnImage
import FirnProcessing
import Testing

@Suite struct BlurHashTests {
    @Test func `The algorithm's own example is drawn as the reference decoder draws it`() throws {
        let hash = try #require(BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
        let image = try #require(hash.bitmap(size: PixelSize(width: 3, height: 2)))
        #expect(image.isOpaque)
        let expected = [
            (135, 164, 177), (172, 177, 175), (170, 175, 172), (120, 148, 162), (150, 128, 125), (150, 135, 125),
        ]
        for (index, color) in expected.enumerated() {
            let seen = image.stored(index % 3, index / 3)
            // The reference truncates where we round, and its powers without a table differ in the last step.
            #expect(abs(Int(seen.red) - color.0) <= 1, "pixel \(index): \(seen)")
            #expect(abs(Int(seen.green) - color.1) <= 1, "pixel \(index): \(seen)")
            #expect(abs(Int(seen.blue) - color.2) <= 1, "pixel \(index): \(seen)")
            #expect(seen.alpha == 255)
        }
    }

    @Test func `The average color is the one in the text`() {
        #expect(BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj")?.averageColor.description == "#979695")
        #expect(BlurHash("00TSUA")?.averageColor.description == "#FFFFFF")
        #expect(BlurHash("000000")?.averageColor.description == "#000000")
    }

    @Test(arguments: [("000000", UInt8(0)), ("00TSUA", 255)])
    func `A hash of one wave is a plain color`(text: String, value: UInt8) throws {
        let image = try #require(BlurHash(text)?.bitmap())
        #expect(image.size == PixelSize(width: 32, height: 32))
        for y in 0..<32 {
            for x in 0..<32 {
                #expect(image.stored(x, y) == SRGBColor(red: value, green: value, blue: value))
            }
        }
    }

    @Test(arguments: [
        "", "L", "LEHV6n", "LEHV6nWB2yk8pyo0adR*.7kCMdn", "LEHV6nWB2yk8pyo0adR*.7kCMdnjj",
        "LEHV6nWB2yk8pyo0adR*.7kCMd\"j",
        "00~~~~", "~~~~~~", "LEHV6nWB2yk8pyo0adR*.7kCMd~~", "äöüäöü",
    ])
    func `Damaged text is no hash`(text: String) { #expect(BlurHash(text) == nil) }

    @Test func `An empty or huge size renders no image`() throws {
        let hash = try #require(BlurHash("00TSUA"))
        #expect(hash.bitmap(size: PixelSize(width: 0, height: 5)) == nil)
        #expect(hash.bitmap(size: PixelSize(width: .max, height: .max)) == nil)
    }
}
