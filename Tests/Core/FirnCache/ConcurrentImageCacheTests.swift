import Dispatch
import FirnCache
import FirnImage
import FirnTesting
import Testing

/// The threads of a concurrent queue; each continuation may run on another.
private final class QueueThreads: TaskExecutor {
    private let queue = DispatchQueue(label: "org.firn.tests.threads", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Tests the memory cache with threads that read, write, remove and trim at the same time.
@Suite(.timeLimit(.minutes(5))) struct ConcurrentImageCacheTests {
    private static let keys = (0..<200).map { ImageCacheKey(family: "image \($0 / 4)", size: "|size=\($0 % 4)") }
    private static let limit = 64 * 120

    /// An image whose pixels say which key it was stored for.
    private static func image(_ number: Int) throws -> ImageContainer {
        ImageContainer(
            image: try Bitmap(size: PixelSize(width: 4, height: 1)) { pixels in
                for at in 0..<16 { pixels.base.storeBytes(of: UInt8(number), toByteOffset: at, as: UInt8.self) }
            })
    }

    private static func shows(_ container: ImageContainer, _ number: Int) -> Bool {
        container.image.withUnsafeBytes { bytes in bytes[..<16].allSatisfy { $0 == UInt8(number) } }
    }

    @Test func `Readers see only what was stored under their key, while others change everything`() async throws {
        let cache = ImageCache(limits: ImageCacheLimits(bytes: ConcurrentImageCacheTests.limit))
        let wrong = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask { ConcurrentImageCacheTests.work(worker, cache) }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
        let statistics = cache.statistics
        #expect(statistics.hits + statistics.misses == 4 * 20_000)
        #expect(statistics.bytes <= ConcurrentImageCacheTests.limit)
        let held = ConcurrentImageCacheTests.keys.compactMap { cache[$0] }
        #expect(held.count == statistics.count)
        #expect(held.reduce(0) { $0 + $1.cost } == statistics.bytes)
        cache.removeAll()
        #expect(ConcurrentImageCacheTests.keys.allSatisfy { cache[$0] == nil })
        #expect(cache.statistics.bytes == 0)
    }

    /// Does the work of one of eight threads: four read, two write, one removes, one trims.
    ///
    /// - Returns: how often it saw what it must not see.
    private static func work(_ worker: Int, _ cache: ImageCache) -> Int {
        var random = SeededGenerator(seed: UInt64(worker))
        var wrong = 0
        for step in 0..<(worker < 4 ? 20_000 : 2_000) {
            let number = Int.random(in: 0..<200, using: &random)
            let key = keys[number]
            switch worker {
            case 0..<4:
                if let found = cache[key], !shows(found, number) { wrong += 1 }
                if step % 16 == 0, cache.relatives(of: key).count > 3 { wrong += 1 }
            case 4, 5: if let image = try? image(number) { cache[key] = image }
            case 6: cache[key] = nil
            default:
                switch step % 100 {
                case 0: cache.removeAll()
                case 1: cache.removeImages { $0.isRelative(of: key) }
                case 2: cache.limits = ImageCacheLimits(bytes: limit)
                default: cache.trim(toCost: limit / 2)
                }
                if cache.statistics.bytes < 0 { wrong += 1 }
            }
        }
        return wrong
    }

    @Test func `A removed image is found by no later look-up, whichever thread asks`() async throws {
        let cache = ImageCache()
        let image = try ConcurrentImageCacheTests.image(7)
        // On threads of a queue, not on those of tasks: other tests may hold these at each change of thread.
        let threads = QueueThreads()
        let wrong = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask(executorPreference: threads) {
                    let key = ImageCacheKey("of worker \(worker)")
                    var wrong = 0
                    for _ in 0..<2_000 {
                        cache[key] = image
                        await Task.yield()
                        if cache[key] == nil { wrong += 1 }
                        cache[key] = nil
                        await Task.yield()
                        if cache[key] != nil { wrong += 1 }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
        #expect(cache.statistics.count == 0)
    }

    @Test func `Many more images than a core records uses of keep the order of their uses`() throws {
        // The first half is used last, so a cache of half the images keeps it.
        let cache = ImageCache(limits: ImageCacheLimits(bytes: 64 * 2_000))
        let keys = (0..<2_000).map { ImageCacheKey("image \($0)") }
        for key in keys { cache[key] = try ConcurrentImageCacheTests.image(0) }
        for key in keys.reversed() { #expect(cache[key] != nil) }
        cache.trim(toCount: 1_000)
        #expect(keys.prefix(1_000).allSatisfy { cache[$0] != nil })
        #expect(keys.suffix(1_000).allSatisfy { cache[$0] == nil })
    }
}
