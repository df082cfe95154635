import FirnData
import FirnSync
import FirnTesting
import FoundationEssentials
import FirnSystem
import TestSupport
import Testing

@testable import FirnCache

/// Tests entries that are counted and named in one batch.
@Suite struct StoredTogetherTests {
    private static let keys = (0..<8).map { "key \($0)" }

    private func cache(_ files: InMemoryFileSystem, _ limits: DataCacheLimits = DataCacheLimits()) -> DataCache {
        DataCache(directory: "/cache", limits: limits, fileSystem: files, now: { .seconds(1) })
    }

    private func prepared(_ cache: DataCache, _ value: UInt8 = 1, count: Int = 100) throws -> [DataCache.PreparedEntry]
    {
        try Self.keys.map {
            try cache.prepare(DataCacheEntry(data: Data(repeating: value, count: count)), for: $0)
        }
    }

    private func usage(_ files: InMemoryFileSystem) throws -> CacheUsage? {
        let record = try #require(try files.sharedRecord("/cache/v2/usage"))
        try record.take()
        defer { record.leave() }
        return CacheUsage(try record.read())
    }

    @Test func `Entries with room share one turn, and other processes learn their number`() throws {
        let files = InMemoryFileSystem()
        let first = cache(files)
        _ = first.keep(try prepared(first), isWanted: { _ in true })
        _ = try first.statistics()
        let before = (try #require(try usage(files)), files.callCount)
        #expect(first.keep(try prepared(first, 2), isWanted: { _ in true }) == Array(repeating: nil, count: 8))
        // Each entry costs one call to create and one to name; locking, reading the record and writing it twice cost
        // one each for all.
        #expect(files.callCount - before.1 <= 8 * 2 + 6)
        let after = try #require(try usage(files))
        #expect(after.changes == before.0.changes &+ 8)
        #expect(after.bytes == before.0.bytes && after.count == 8)
        for key in Self.keys { #expect(try first.entry(for: key)?.data == Data(repeating: 2, count: 100)) }
    }

    @Test func `Entries that are no longer wanted are skipped, and existing ones stay`() throws {
        let files = InMemoryFileSystem()
        let cache = cache(files)
        _ = cache.keep(try prepared(cache, 1), isWanted: { $0 % 2 == 0 })
        _ = cache.keep(try prepared(cache, 2), isWanted: { $0 == 4 })
        for (place, key) in Self.keys.enumerated() {
            #expect(try cache.entry(for: key)?.data.first == (place == 4 ? 2 : place % 2 == 0 ? 1 : nil))
        }
        #expect(files.files.count == 4)
    }

    @Test func `Two entries of one file name leave the last, counted once`() throws {
        let files = InMemoryFileSystem()
        let cache = DataCache(
            directory: "/cache", limits: DataCacheLimits(), fileSystem: files, now: { .seconds(1) },
            identify: { EntryID(key: $0.hasSuffix("1") ? "key 0" : $0) })
        _ = cache.keep(try prepared(cache), isWanted: { _ in true })
        #expect(files.files.count == 7)
        #expect(try usage(files)?.count == 7)
        #expect(try usage(files)?.bytes == files.files.values.reduce(0) { $0 + $1.count })
    }

    @Test(arguments: [EIO, ENOSPC], [false, true])
    func `Whichever call fails, each entry's result is right, and the record never underestimates`(
        code: Int32, persists: Bool
    ) throws {
        for number in 1...80 {
            let files = InMemoryFileSystem()
            // Some entries replace older ones; there is room for at most six of eight.
            let cache = cache(files, DataCacheLimits(bytes: 1_300))
            try cache.store(DataCacheEntry(data: Data(repeating: 9, count: 50)), for: "key 3")
            files.fail(FileFault(number: number, code: code, persists: persists))
            let failures = cache.keep(try prepared(cache), isWanted: { _ in true })
            files.clearFaults()
            for (key, failure) in zip(Self.keys, failures) {
                let found = try cache.entry(for: key)?.data
                if failure != nil { #expect(found == nil || found?.count == 50, "call \(number), \(key)") }
                #expect(found == nil || found?.count == 100 || key == "key 3", "call \(number), \(key)")
            }
            let held = files.files.filter { $0.key.hasSuffix(".firn") }.values.reduce(0) { $0 + $1.count }
            #expect(held <= 1_300, "call \(number)")
            if let usage = try usage(files) { #expect(usage.bytes >= held, "call \(number)") }
            if !persists { #expect(files.files.keys.filter { $0.hasSuffix(".tmp") }.count <= 1, "call \(number)") }
        }
    }
}
