import FirnData
import FirnImage
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnCache

/// Limits that change while a cache is used; caches by name.
@Suite struct ChangedLimitsTests {
    /// An image that costs `64 × rows` bytes.
    private func image(_ rows: Int) throws -> ImageContainer {
        ImageContainer(image: try Bitmap(size: PixelSize(width: 1, height: rows)) { _ in })
    }

    @Test func `Lower limits of the memory cache evict at once, higher ones admit more`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 640, entryBytes: 640))
        for number in 0..<10 { cache[ImageCacheKey("\(number)")] = try image(1) }
        #expect(cache.statistics.count == 10)
        cache.limits.bytes = 320
        #expect(cache.statistics.bytes <= 320)
        cache.limits.count = 2
        #expect(cache.statistics.count == 2)
        cache.limits = ImageCacheLimits(bytes: 1280, entryBytes: 1280)
        for number in 0..<20 { cache[ImageCacheKey("\(number)")] = try image(1) }
        #expect(cache.statistics.count == 20)
        cache.limits.entryBytes = 64
        cache[ImageCacheKey("large")] = try image(2)
        #expect(cache[ImageCacheKey("large")] == nil)
    }

    @Test func `An age that is set later applies to existing images`() throws {
        let clock = ManualClock()
        let cache = ImageCache(now: { clock.elapsed })
        cache["a"] = try image(1)
        clock.advance(by: .seconds(10))
        cache["b"] = try image(1)
        cache.limits.age = .seconds(5)
        #expect(cache["a"] == nil)
        #expect(cache["b"] != nil)
        clock.advance(by: .seconds(6))
        cache.limits.age = nil
        #expect(cache["b"] != nil)
    }

    @Test func `Lower limits of the data cache apply from the next store`() throws {
        let files = InMemoryFileSystem(now: { .zero })
        let cache = DataCache(directory: "/cache", fileSystem: files, now: { .zero })
        for number in 0..<10 { try cache.store(DataCacheEntry(data: Data(count: 1000)), for: "key \(number)") }
        cache.limits.count = 3
        #expect(cache.limits.count == 3)
        try cache.store(DataCacheEntry(data: Data(count: 1000)), for: "another")
        #expect(try cache.statistics().count == 3)
    }

    @Test func `A named cache is in the user's cache directory`() throws {
        func directory(_ name: String, _ environment: [String: String]) throws -> String {
            try DataCache.userDirectory(name, environment: environment)
        }
        #expect(try directory("a.b", ["HOME": "/home/u"]) == "/home/u/.cache/a.b")
        #expect(try directory("a.b", ["HOME": "/home/u", "XDG_CACHE_HOME": "/c"]) == "/c/a.b")
        #expect(try directory("a.b", ["HOME": "/home/u", "XDG_CACHE_HOME": "c"]) == "/home/u/.cache/a.b")
        #expect(throws: DataCachingError.self) { try directory("a.b", [:]) }
        for name in ["", ".", "..", "a/b", "a\0"] {
            #expect(throws: DataCachingError.self) { try directory(name, ["HOME": "/home/u"]) }
        }
    }
}
