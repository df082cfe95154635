import FirnSync
import FirnTesting
import Testing

@testable import FirnCache
@testable import FirnImage

/// Tests a budget that caches share with other users.
@Suite struct MemoryBudgetTests {
    private static func image(_ rows: Int) throws -> ImageContainer {
        ImageContainer(image: try Bitmap(size: PixelSize(width: 1, height: rows)) { _ in })
    }

    private static func fill(_ cache: ImageCache, _ count: Int) throws {
        for number in 0..<count { cache[ImageCacheKey("\(number)")] = try image(1) }
    }

    @Test func `A decode evicts the least recently used images`() throws {
        let budget = MemoryBudget(total: 6400)
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 1 << 20), budget: budget)
        try MemoryBudgetTests.fill(cache, 120)
        #expect(budget.usage == MemoryUsage(limit: 6400, decoding: 0, animations: 0, kept: 6400))
        let decodes = budget.openDecoding()
        decodes.add(3200)
        #expect(cache.statistics.bytes == 3200)
        #expect(cache["119"] != nil && cache["20"] == nil)
        try MemoryBudgetTests.fill(cache, 120)
        #expect(budget.usage.total == 6400)
        decodes.add(-3200)
        try MemoryBudgetTests.fill(cache, 120)
        #expect(cache.statistics.bytes == 6400)
    }

    @Test func `Caches of one budget share it`() throws {
        let budget = MemoryBudget(total: 6400)
        let first = ImageCache(limits: ImageCacheLimits(bytes: 1 << 20), budget: budget)
        var second: ImageCache? = ImageCache(limits: ImageCacheLimits(bytes: 1 << 20), budget: budget)
        try MemoryBudgetTests.fill(first, 60)
        if let second { try MemoryBudgetTests.fill(second, 60) }
        #expect(budget.usage.kept == 6400)
        #expect(first.statistics.count == 60)
        #expect(second?.statistics.count == 40)
        second = nil
        #expect(budget.usage.kept == 60 * 64)
    }

    @Test func `Shown images are not evicted, and decodes get that much less`() throws {
        let budget = MemoryBudget(total: 6400)
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 1 << 20), budget: budget)
        let screen = try (0..<80).map { _ in try MemoryBudgetTests.image(1) }
        for (number, image) in screen.enumerated() { cache[ImageCacheKey("\(number)")] = image }
        let decodes = budget.openDecoding()
        #expect(decodes.decodingRoom == 3200)
        decodes.add(3200)
        #expect(cache.statistics.count == 80)
        #expect(decodes.decodingRoom == 20 * 64)
        withExtendedLifetime(screen) {}
    }

    @Test func `A smaller share shrinks the cache at once, and a larger one lets it grow`() throws {
        let budget = MemoryBudget(total: 6400)
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 1 << 20), budget: budget)
        try MemoryBudgetTests.fill(cache, 100)
        budget.share = 0.25
        #expect(cache.statistics.bytes == 1600)
        #expect(budget.decodingRoom == 800)
        budget.share = 0
        #expect(budget.share == 0.1)
        budget.share = .nan
        #expect(budget.share == 1)
        try MemoryBudgetTests.fill(cache, 100)
        #expect(cache.statistics.bytes == 6400)
        budget.total = 640
        #expect(cache.statistics.bytes == 640)
    }

    @Test func `An image without room is not stored, and evicts no other`() throws {
        let budget = MemoryBudget(total: 6400)
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 1 << 20), budget: budget)
        try MemoryBudgetTests.fill(cache, 10)
        cache["large"] = try MemoryBudgetTests.image(101)
        #expect(cache["large"] == nil)
        #expect(cache.statistics.count == 10)
    }

    @Test func `The budget knows the cache's size after any operation`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let clock = ManualClock()
        let budget = MemoryBudget(total: 64 * 80)
        let cache = ImageCache(
            limits: ImageCacheLimits(bytes: 64 * 60, age: .seconds(20), entryBytes: 64 * 20), budget: budget,
            now: { clock.elapsed })
        let decodes = budget.openDecoding()
        for step in 0..<4_000 {
            let key = ImageCacheKey("\(Int.random(in: 0..<50, using: &random))")
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<5: cache[key] = try MemoryBudgetTests.image(Int.random(in: 1...22, using: &random))
            case 5: cache[key] = nil
            case 6: _ = cache[key]
            case 7: clock.advance(by: .seconds(1))
            case 8: cache.trim(toCost: Int.random(in: 0...4_000, using: &random))
            case 9: decodes.add(Int.random(in: 0...64, using: &random) * 40 - decodes.bytes)
            case 10: budget.share = Double.random(in: 0...1.5, using: &random)
            default: if step % 100 == 0 { cache.removeAll() }
            }
            let usage = budget.usage
            try #require(usage.kept == cache.statistics.bytes, "seed \(seed), step \(step)")
            try #require(usage.total <= max(usage.limit, usage.decoding), "seed \(seed), step \(step)")
        }
    }
}
