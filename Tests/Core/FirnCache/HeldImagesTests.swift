import FirnCache
import FirnImage
import FirnTesting
import Testing

/// Tests images that are referenced outside the cache.
@Suite struct HeldImagesTests {
    private static func image(_ rows: Int = 1) throws -> ImageContainer {
        ImageContainer(image: try Bitmap(size: PixelSize(width: 1, height: rows)) { _ in })
    }

    @Test func `A shown image stays, however long ago it was requested (F6)`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 20))
        var screen: [ImageContainer] = []
        for number in 0..<10 {
            screen.append(try HeldImagesTests.image())
            cache[ImageCacheKey("shown \(number)")] = screen[number]
        }
        for number in 0..<200 { cache[ImageCacheKey("other \(number)")] = try HeldImagesTests.image() }
        for number in 0..<10 { #expect(cache[ImageCacheKey("shown \(number)")] != nil) }
        #expect(cache.statistics.bytes == 64 * 20)
        cache.trim(toCost: 0)
        #expect(cache.statistics.count == 10)
        // Once they are no longer shown, they are evicted like others.
        screen = []
        cache.trim(toCost: 0)
        #expect(cache.statistics.count == 0)
    }

    @Test func `Shown images may exceed the limit only while they are shown`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 50))
        var screen: [ImageContainer] = []
        for number in 0..<200 {
            screen.append(try HeldImagesTests.image())
            cache[ImageCacheKey("shown \(number)")] = screen[number]
        }
        #expect(cache.statistics.count == 200)
        cache.trim(toCost: 0)
        #expect(cache.statistics.count == 200)
        screen = []
        cache["next"] = try HeldImagesTests.image()
        #expect(cache.statistics.bytes <= 64 * 50)
        #expect(cache["next"] != nil)
    }

    @Test func `An image that is kept under two keys is not held by the cache itself`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 4))
        for number in 0..<40 {
            let image = try HeldImagesTests.image()
            cache[ImageCacheKey("one \(number)")] = image
            cache[ImageCacheKey("two \(number)")] = image
        }
        cache["last"] = try HeldImagesTests.image()
        #expect(cache.statistics.bytes <= 64 * 4)
    }

    /// Held images stay and are found; the images that only the cache holds stay within the limits; a found image is
    /// the stored one.
    @Test func `Thousands of random operations never lose a held image nor keep too many others`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 100, count: 20, entryBytes: 64 * 40))
        var rows: [Int: Int] = [:]
        var held: [Int: ImageContainer] = [:]
        for step in 0..<6_000 {
            let number = Int.random(in: 0..<60, using: &random)
            let key = ImageCacheKey("key \(number)")
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let image = try HeldImagesTests.image(Int.random(in: 1...12, using: &random))
                held[number] = Bool.random(using: &random) && held.count < 12 ? image : nil
                rows[number] = image.image.size.height
                cache[key] = image
                // Order: read before any outside reference is dropped.
                let statistics = cache.statistics
                let alone = statistics.bytes - 64 * held.keys.reduce(0) { $0 + (rows[$1] ?? 0) }
                try #require(statistics.count <= max(20, held.count + 1), "seed \(seed), step \(step)")
                try #require(statistics.bytes <= 64 * 100 || alone <= 64 * 12, "seed \(seed), step \(step)")
            case 5..<8:
                let found = cache[key]
                if held[number] != nil { try #require(found != nil, "seed \(seed), step \(step)") }
                if let found {
                    try #require(found.image.size.height == rows[number], "seed \(seed), step \(step)")
                }
            case 8: held[number] = nil
            default:
                cache[key] = nil
                held[number] = nil
            }
        }
        held = [:]
        cache.trim(toCost: 0)
        #expect(cache.statistics.count == 0 && cache.statistics.bytes == 0)
    }
}
