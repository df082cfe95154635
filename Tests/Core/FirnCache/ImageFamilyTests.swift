import FirnCache
import FirnImage
import FirnTesting
import Testing

/// Tests images of one family in the memory cache.
@Suite struct ImageFamilyTests {
    private static func key(_ family: Int, _ size: Int) -> ImageCacheKey {
        ImageCacheKey(family: "family \(family)", size: size == 0 ? "" : "|\(size)")
    }

    @Test func `Keys of a family are relatives and differ`() {
        let (whole, small) = (ImageCacheKey(family: "a", size: ""), ImageCacheKey(family: "a", size: "|1"))
        #expect(whole.isRelative(of: small) && small.isRelative(of: whole))
        #expect(whole != small)
        #expect(whole == "a" && small == "a|1")
        #expect(!small.isRelative(of: ImageCacheKey(family: "b", size: "|1")))
        #expect(!small.isRelative(of: "a"))
        #expect(!ImageCacheKey(family: "", size: "|1").isRelative(of: ImageCacheKey(family: "", size: "|2")))
    }

    @Test func `Thousands of random operations find the relatives that a search finds`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 400, count: 40))
        var kept: [ImageCacheKey: Int] = [:]
        for step in 0..<8_000 {
            let (family, size) = (Int.random(in: 0..<12, using: &random), Int.random(in: 0..<6, using: &random))
            let key = ImageFamilyTests.key(family, size)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                // The number of rows identifies each image.
                let rows = 1 + size
                let image = try Bitmap(size: PixelSize(width: 1, height: rows)) { _ in }
                cache[key] = ImageContainer(image: image)
                kept[key] = rows
            case 4:
                cache[key] = nil
                kept[key] = nil
            case 5: if step % 50 == 0 { cache.trim(toCount: 10) }
            default:
                let found = cache.relatives(of: key).map(\.image.size.height).sorted()
                // The model forgets evicted images, too; the lookup changes the order of use in no way that matters.
                kept = kept.filter { $0.key == key || cache[$0.key] != nil }
                let wanted = kept.filter { $0.key != key && $0.key.isRelative(of: key) }.map(\.value).sorted()
                try #require(found == wanted, "seed \(seed), step \(step)")
            }
        }
        cache.removeAll()
        #expect(cache.relatives(of: ImageFamilyTests.key(1, 1)).isEmpty)
    }

    @Test func `An expired image is not a relative`() throws {
        let clock = ManualClock()
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 1 << 20, age: .seconds(5)), now: { clock.elapsed })
        cache[ImageFamilyTests.key(1, 1)] = ImageContainer(
            image: try Bitmap(size: PixelSize(width: 1, height: 1)) { _ in })
        #expect(cache.relatives(of: ImageFamilyTests.key(1, 2)).count == 1)
        #expect(cache.relatives(of: ImageFamilyTests.key(1, 1)).isEmpty)
        clock.advance(by: .seconds(6))
        #expect(cache.relatives(of: ImageFamilyTests.key(1, 2)).isEmpty)
    }
}
