import FirnCache
import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

/// Tests the memory cache: order, limits, ages.
@Suite struct ImageCacheTests {
    /// The straightforward implementation: an array, the least recently used entry first.
    private struct Model {
        var entries: [(key: Int, cost: Int, born: Int)] = []
        var cost: Int { entries.reduce(0) { $0 + $1.cost } }

        mutating func get(_ key: Int) -> Bool {
            guard let at = entries.firstIndex(where: { $0.key == key }) else { return false }
            entries.append(entries.remove(at: at))
            return true
        }

        mutating func set(_ key: Int, _ cost: Int, _ moment: Int, _ limits: ImageCacheLimits) {
            entries.removeAll { $0.key == key }
            guard cost <= limits.entryBytes, cost <= limits.bytes else { return }
            entries.append((key, cost, moment))
            guard self.cost > limits.bytes || entries.count > limits.count else { return }
            let bytes = Int(Double(limits.bytes) * limits.purgeLevel)
            let count = Int(Double(limits.count) * limits.purgeLevel)
            while entries.count > 1, self.cost > bytes || entries.count > count { entries.removeFirst() }
        }

        mutating func expire(_ moment: Int, _ age: Int) { entries.removeAll { moment - $0.born > age } }
    }

    /// Returns an image of 64 bytes a row whose cost is `64 × rows + extra`.
    private static func image(_ rows: Int, extra: Int = 0) throws -> ImageContainer {
        let bitmap = try Bitmap(size: PixelSize(width: 1, height: rows)) { _ in }
        return ImageContainer(image: bitmap, data: extra > 0 ? Data(count: extra) : nil)
    }

    @Test(arguments: [1.0, 0.7, 0.0], [nil, 40] as [Int?])
    func `Thousands of random operations agree with an array`(purgeLevel: Double, age: Int?) throws {
        // The array is an LRU cache. In one of some hundred random runs, another policy leads by chance for a while.
        let seed: UInt64 = 11
        var random = SeededGenerator(seed: seed)
        let clock = ManualClock()
        let limits = ImageCacheLimits(
            bytes: 64 * 60, count: 25, age: age.map { .seconds($0) }, entryBytes: 64 * 20, purgeLevel: purgeLevel)
        let cache = ImageCache(limits: limits, now: { clock.elapsed })
        var model = Model()
        var moment = 0
        for step in 0..<6_000 {
            let number = Int.random(in: 0..<40, using: &random)
            let key = ImageCacheKey("key \(number)")
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                if let age { model.expire(moment, age) }
                try #require((cache[key] != nil) == model.get(number), "seed \(seed), step \(step)")
            case 4..<8:
                let rows = Int.random(in: 1...24, using: &random)
                if let age { model.expire(moment, age) }
                cache[key] = try ImageCacheTests.image(rows)
                model.set(number, rows * 64, moment, limits)
            case 8:
                cache[key] = nil
                model.entries.removeAll { $0.key == number }
            default:
                let seconds = Int.random(in: 0..<10, using: &random)
                clock.advance(by: .seconds(seconds))
                moment += seconds
            }
            let statistics = cache.statistics
            try #require(
                statistics.bytes <= limits.bytes && statistics.count <= limits.count, "seed \(seed), step \(step)")
            if age == nil {
                try #require(statistics.bytes == model.cost, "seed \(seed), step \(step)")
                try #require(statistics.count == model.entries.count, "seed \(seed), step \(step)")
            }
        }
    }

    @Test func `An image is gone once it is older than the age, however often it is used`() throws {
        let clock = ManualClock()
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 1 << 20, age: .seconds(10)), now: { clock.elapsed })
        cache["a"] = try ImageCacheTests.image(1)
        clock.advance(by: .seconds(10))
        #expect(cache["a"] != nil)
        clock.advance(by: .nanoseconds(1))
        #expect(cache["a"] == nil)
        #expect(cache.statistics.count == 0)
    }

    @Test func `A time that is set later removes older images`() throws {
        let clock = ManualClock()
        let cache = ImageCache(ttl: 60, now: { clock.elapsed })
        #expect(cache.ttl == 60)
        cache["a"] = try ImageCacheTests.image(1)
        clock.advance(by: .seconds(10))
        cache.ttl = 5
        #expect(cache["a"] == nil)
        for ttl in [-1, Double.nan] {
            cache.ttl = ttl
            #expect(cache.ttl == 0)
        }
        cache.ttl = nil
        #expect(cache.limits.age == nil)
    }

    @Test func `The cost counts the file's bytes that an image keeps (F3)`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 1 << 20))
        cache["a"] = try ImageCacheTests.image(3, extra: 100)
        #expect(cache.statistics.bytes == 3 * 64 + 100)
    }

    @Test func `An image above the entry limit is not stored, and removes the older one`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 6400, entryBytes: 640))
        cache["a"] = try ImageCacheTests.image(10)
        #expect(cache["a"] != nil)
        cache["a"] = try ImageCacheTests.image(11)
        #expect(cache["a"] == nil)
        #expect(cache.statistics.count == 0)
    }

    @Test func `Trimming evicts the least recently used images`() throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 1 << 20))
        for name in ["a", "b", "c", "d"] { cache[ImageCacheKey(name)] = try ImageCacheTests.image(1) }
        _ = cache["a"]
        cache.trim(toCount: 3)
        #expect(cache["b"] == nil)
        cache.trim(toCost: 64)
        #expect(cache["d"] == nil)
        #expect(cache["a"] != nil)
        #expect(cache.statistics.evictions == 3)
        cache.removeAll()
        #expect(cache.statistics.bytes == 0)
        #expect(cache["a"] == nil)
    }

    @Test func `Evicted images are freed`() throws {
        final class Watch: Sendable {}
        var watch: Watch? = Watch()
        weak let seen = watch
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 64)
        defer { bytes.deallocate() }
        do {
            let held = try #require(watch)
            let cache = ImageCache(limits: ImageCacheLimits(bytes: 1 << 20, count: 1))
            cache["a"] = ImageContainer(
                image: try Bitmap(
                    borrowing: UnsafeRawBufferPointer(bytes), size: PixelSize(width: 1, height: 1),
                    format: .bgra8Premultiplied, bytesPerRow: 64, isOpaque: true, release: { _ = held }))
            cache["b"] = try ImageCacheTests.image(1)
            #expect(cache["a"] == nil)
        }
        watch = nil
        #expect(seen == nil)
    }

    @Test func `Default limits are the documented ones`() {
        let limits = ImageCacheLimits()
        #expect(limits.bytes == min(AvailableMemory.bytes / 5, 768 << 20))
        #expect(limits.bytes > 32 << 20, "a machine that runs these tests has more than 160 MiB")
        #expect(limits.entryBytes == limits.bytes / 4)
        #expect(limits.count == .max && limits.age == nil)
        #expect(limits.purgeLevel == 1 && limits.backgroundLevel == 0.1)
        #expect(ImageCacheLimits(bytes: -1).bytes == 0 && ImageCacheLimits(bytes: 100).entryBytes == 25)
    }
}
