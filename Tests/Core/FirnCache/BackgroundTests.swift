import FirnCache
import FirnImage
import FirnPipeline
import FirnTesting
import Testing

/// Tests the evictions of the memory cache while the application is in the background.
@Suite struct `Memory cache in the background` {
    /// Returns an image of 64 bytes a row.
    private func image(rows: Int) throws -> ImageContainer {
        ImageContainer(image: try Bitmap(size: PixelSize(width: 1, height: rows)) { _ in })
    }

    /// Returns a cache of a hundred images of 64 bytes each.
    private func full(_ limits: ImageCacheLimits) throws -> ImageCache {
        let cache = ImageCache(limits: limits)
        for number in 0..<100 { cache[ImageCacheKey("\(number)")] = try image(rows: 1) }
        return cache
    }

    @Test(arguments: [(0.1, 10), (0.5, 50), (0, 0), (1, 100), (2, 100), (-1, 0), (.nan, 100)] as [(Double, Int)])
    func `A share of the limit stays, the most recently used images`(level: Double, count: Int) throws {
        let cache = try full(ImageCacheLimits(bytes: 64 * 100, backgroundLevel: level))
        cache.didEnterBackground()
        #expect(cache.statistics.count == count && cache.statistics.bytes == count * 64)
        if count > 0 { #expect(cache[ImageCacheKey("99")] != nil) }
        if count < 100 { #expect(cache[ImageCacheKey("0")] == nil) }
        #expect(cache.statistics.evictions == 100 - count)
    }

    @Test func `The share is of the limits, not of the stored images`() throws {
        let cache = try full(ImageCacheLimits(bytes: 64 * 1_000))
        cache.didEnterBackground()
        #expect(cache.statistics.count == 100)
    }

    @Test func `A share applies to the limit of the count, too`() throws {
        let cache = try full(ImageCacheLimits(bytes: 64 * 10_000, count: 100))
        cache.didEnterBackground()
        #expect(cache.statistics.count == 10)
    }

    @Test func `Images that views hold stay`() throws {
        let cache = try full(ImageCacheLimits(bytes: 64 * 100, backgroundLevel: 0))
        let held = cache[ImageCacheKey("3")]
        cache.didEnterBackground()
        #expect(cache.statistics.count == 1 && cache[ImageCacheKey("3")] != nil)
        withExtendedLifetime(held) {}
    }

    @Test func `A pipeline passes it on to its memory cache`() throws {
        let cache = try full(ImageCacheLimits(bytes: 64 * 100))
        let fixture = PipelineFixture { $0.imageCache = cache }
        fixture.pipeline.didEnterBackground()
        #expect(cache.statistics.count == 10)
    }
}
