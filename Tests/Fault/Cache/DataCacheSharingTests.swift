import Dispatch
import FirnCache
import FirnData
import FirnTesting
import FoundationEssentials
import Synchronization
import Testing

/// Tests several caches on one real directory, from several threads.
@Suite struct DataCacheSharingTests {
    @Test(.timeLimit(.minutes(5)))
    func `Two caches hammering one directory give whole entries or none, and keep to the limits`() throws {
        let directory = try temporaryFolder("cache")
        let limits = DataCacheLimits(bytes: 400_000)
        let caches = (0..<2).map { _ in DataCache(directory: directory, limits: limits) }
        let wrong = Atomic<Int>(0)
        let hits = Atomic<Int>(0)
        let failures = Mutex<[String]>([])
        let seed = UInt64.random(in: 0...UInt64.max)

        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var random = Steps(state: seed &+ UInt64(thread))
            for _ in 0..<600 {
                let cache = caches[random.next(2)]
                let number = random.next(40)
                let key = "key \(number)"
                do throws(DataCachingError) {
                    switch random.next(10) {
                    case 0..<5:
                        if let data = try cache.entry(for: key)?.data {
                            hits.add(1, ordering: .relaxed)
                            // A body repeats its number, with any length.
                            if !data.allSatisfy({ $0 == UInt8(number) }) { wrong.add(1, ordering: .relaxed) }
                        }
                    case 5..<9:
                        let body = Data(repeating: UInt8(number), count: random.next(40_000))
                        try cache.store(DataCacheEntry(data: body), for: key)
                    default: try cache.remove(key)
                    }
                } catch { failures.withLock { $0.append(error.message) } }
                if random.next(200) == 0 { try? cache.removeAll() }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0, "seed \(seed)")
        #expect(hits.load(ordering: .relaxed) > 0, "seed \(seed)")
        #expect(failures.withLock { $0 } == [], "seed \(seed)")
        let fresh = DataCache(directory: directory, limits: limits)
        #expect(try fresh.verify() == [], "seed \(seed)")
        #expect(try fresh.statistics().bytes <= limits.bytes, "seed \(seed)")
        for cache in caches { #expect(try cache.statistics().damaged == 0, "seed \(seed)") }
        try fresh.removeAll()
        let files = LocalFileSystem()
        #expect(try files.list("\(directory)/v2") == ["usage"], "seed \(seed)")
        try files.remove("\(directory)/v2/usage")
        try files.removeDirectory("\(directory)/v2")
        try files.removeDirectory(directory)
    }

    /// A small random number generator (xorshift64*), one for each thread.
    private struct Steps {
        var state: UInt64

        mutating func next(_ bound: Int) -> Int {
            if state == 0 { state = 1 }
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            return Int((state &* 2_685_821_657_736_338_717) >> 33) % bound
        }
    }
}
