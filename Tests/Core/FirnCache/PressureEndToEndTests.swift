import Dispatch
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import Testing

@testable import FirnCache

/// Tests the path from a reading of the machine's memory to the memory that a pipeline holds.
@Suite(.timeLimit(.minutes(5))) struct PressureEndToEndTests {
    /// A source of memory readings that a test scripts.
    private final class ScriptedPressure: PressureSource {
        private let said = Locked<[PressureReading?]>([])
        private let current = Locked(PressureReading())
        private let bell = DispatchSemaphore(value: 0)
        /// Yields whenever the watcher has processed the last reading.
        let waits: AsyncStream<Void>
        private let waiting: AsyncStream<Void>.Continuation

        init() { (waits, waiting) = AsyncStream.makeStream() }

        func wait(isTense: Bool) -> PressureWait {
            waiting.yield()
            bell.wait()
            guard let reading = said.withLock({ $0.removeFirst() }) else {
                waiting.finish()
                return .stopped
            }
            current.withLock { $0 = reading }
            return .elapsed
        }

        func read() -> PressureReading { current.withLock { $0 } }
        func stop() { say(nil) }

        func say(_ reading: PressureReading?) {
            said.withLock { $0.append(reading) }
            bell.signal()
        }
    }

    @Test func `Under memory pressure the cache shrinks and decodes run one by one, until it ends`()
        async throws
    {
        let source = ScriptedPressure()
        let clock = ManualClock()
        var waits = source.waits.makeAsyncIterator()
        var budget: MemoryBudget? = MemoryBudget(
            total: 400 << 10, watcher: MemoryWatcher(source: source, now: { clock.elapsed }))
        do {
            let shared = try #require(budget)
            let cache = ImageCache(limits: ImageCacheLimits(bytes: 1 << 20, entryBytes: 1 << 20), budget: shared)
            let fixture = PipelineFixture {
                $0.imageCache = cache
                $0.memoryBudget = shared
            }
            for number in 0..<3 {
                // 100 × 256 pixels: 112 KiB with aligned rows.
                let url = fixture.image("\(number)", size: PixelSize(width: 100, height: 256))
                _ = try await fixture.pipeline.image(for: url)
            }
            #expect(cache.statistics.count == 3)
            _ = await waits.next()
            for share in [0.5, 0.25] {
                source.say(PressureReading(headroom: 0.01))
                _ = await waits.next()
                #expect(shared.share == share)
                #expect(shared.usage.kept <= shared.usage.limit)
                clock.advance(by: .seconds(1))
            }
            // There is no room for a whole image.
            #expect(cache.statistics.count == 0)
            _ = try await fixture.pipeline.image(for: "https://example.org/1")
            #expect(cache.statistics.count == 0)
            #expect(shared.usage.decoding == 0)

            for _ in 0..<60 {
                clock.advance(by: .seconds(1))
                source.say(PressureReading(headroom: 0.9))
                _ = await waits.next()
            }
            #expect(shared.share == 1)
            _ = try await fixture.pipeline.image(for: "https://example.org/1")
            #expect(cache.statistics.count == 1)
        }
        budget = nil
        // The thread ends with the budget.
        while await waits.next() != nil {}
    }

    @Test func `The watcher starts with the first use of a budget and ends with the budget`() throws {
        final class Watcher: MemoryWatching {
            let record = Locked((starts: 0, stops: 0))
            func start(_ tell: @escaping @Sendable (Double) -> Void) {
                record.withLock { $0.starts += 1 }
                tell(0.5)
            }
            func stop() { record.withLock { $0.stops += 1 } }
        }
        let watcher = Watcher()
        var budget: MemoryBudget? = MemoryBudget(total: 6400, watcher: watcher)
        var cache: ImageCache? = ImageCache(limits: ImageCacheLimits(bytes: 6400), budget: budget)
        #expect(watcher.record.withLock { $0.starts } == 0)
        for name in ["a", "b"] as [ImageCacheKey] {
            cache?[name] = ImageContainer(image: try Bitmap(size: PixelSize(width: 1, height: 1)) { _ in })
        }
        #expect(watcher.record.withLock { $0.starts } == 1)
        #expect(budget?.share == 0.5)
        cache = nil
        #expect(watcher.record.withLock { $0.stops } == 0)
        budget = nil
        #expect(watcher.record.withLock { $0.stops } == 1)
    }

    @Test func `A budget that is never used starts and stops nothing`() {
        final class Watcher: MemoryWatching {
            func start(_ tell: @escaping @Sendable (Double) -> Void) { Issue.record("started") }
            func stop() { Issue.record("stopped") }
        }
        let watcher = Watcher()
        do { _ = ImageCache(budget: MemoryBudget(total: 1, watcher: watcher)) }
        withExtendedLifetime(watcher) {}
    }
}
