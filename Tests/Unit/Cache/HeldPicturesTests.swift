import FirnCache
import FirnImage
import FirnTesting
import Testing

/// Pictures that somebody beside the cache holds.
@Suite struct HeldPicturesTests {
    private static func picture(_ rows: Int = 1) throws -> ImageContainer {
        ImageContainer(image: try Bitmap(size: PixelSize(width: 1, height: rows)) { _ in })
    }

    @Test func `What is shown stays, however long ago it was asked for`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 20))
        var screen: [ImageContainer] = []
        for number in 0..<10 {
            screen.append(try HeldPicturesTests.picture())
            cache[ImageCacheKey("shown \(number)")] = screen[number]
        }
        for number in 0..<200 { cache[ImageCacheKey("other \(number)")] = try HeldPicturesTests.picture() }
        for number in 0..<10 { #expect(cache[ImageCacheKey("shown \(number)")] != nil) }
        #expect(cache.statistics.cost == 64 * 20)
        // No longer shown, they go as others do.
        screen = []
        for number in 200..<220 { cache[ImageCacheKey("other \(number)")] = try HeldPicturesTests.picture() }
        for number in 0..<10 { #expect(cache[ImageCacheKey("shown \(number)")] == nil) }
    }

    @Test func `More on the screen than the limit allows is above it only until it is gone`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 50))
        var screen: [ImageContainer] = []
        for number in 0..<200 {
            screen.append(try HeldPicturesTests.picture())
            cache[ImageCacheKey("shown \(number)")] = screen[number]
        }
        #expect(cache.statistics.count == 200)
        cache.trim(toCost: 0)
        #expect(cache.statistics.count == 200)
        screen = []
        cache["next"] = try HeldPicturesTests.picture()
        #expect(cache.statistics.cost <= 64 * 50)
        #expect(cache["next"] != nil)
    }

    @Test func `A picture that is kept under two keys is not held by the cache itself`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 4))
        for number in 0..<40 {
            let picture = try HeldPicturesTests.picture()
            cache[ImageCacheKey("one \(number)")] = picture
            cache[ImageCacheKey("two \(number)")] = picture
        }
        cache["last"] = try HeldPicturesTests.picture()
        #expect(cache.statistics.cost <= 64 * 4)
    }

    /// The obvious way: a list, the least recently used first; what is held stays.
    @Test func `Thousands of random operations agree with a list`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = CacheSeed(seed)
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 100, count: 20, entryBytes: 64 * 40))
        var order: [(key: Int, rows: Int)] = []
        var held: [Int: ImageContainer] = [:]
        for step in 0..<6_000 {
            let number = Int.random(in: 0..<60, using: &random)
            let key = ImageCacheKey("key \(number)")
            let at = order.firstIndex { $0.key == number }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let picture = try HeldPicturesTests.picture(Int.random(in: 1...12, using: &random))
                held[number] = Bool.random(using: &random) && held.count < 12 ? picture : nil
                cache[key] = picture
                if let at { order.remove(at: at) }
                order.append((number, picture.image.size.height))
                // The limits: one look at everybody but the newest.
                for _ in 0..<max(0, order.count - 1) {
                    guard order.count > 20 || order.reduce(0, { $0 + $1.rows }) > 100 else { break }
                    let first = order.removeFirst()
                    if held[first.key] != nil { order.append(first) }
                }
            case 5..<8:
                let found = cache[key]
                try #require((found != nil) == (at != nil), "seed \(seed), step \(step)")
                if let at { order.append(order.remove(at: at)) }
            case 8: held[number] = nil
            default:
                cache[key] = nil
                held[number] = nil
                if let at { order.remove(at: at) }
            }
            let statistics = cache.statistics
            try #require(statistics.count == order.count, "seed \(seed), step \(step)")
            try #require(statistics.cost == 64 * order.reduce(0) { $0 + $1.rows }, "seed \(seed), step \(step)")
        }
    }
}
