import FirnData
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnCache

/// Tests which entries the data cache keeps, for how long, and which it evicts first.
@Suite struct DataCacheTests {
    private let clock = ManualClock(elapsed: .seconds(1_000_000))
    private let files: InMemoryFileSystem

    init() {
        files = InMemoryFileSystem(now: { [clock] in clock.elapsed })
    }

    private func cache(_ limits: DataCacheLimits = DataCacheLimits()) -> DataCache {
        DataCache(directory: "/cache", limits: limits, fileSystem: files, now: { [clock] in clock.elapsed })
    }

    private func entry(_ text: String) -> DataCacheEntry { DataCacheEntry(data: Data(text.utf8)) }

    /// Returns the size of the file of a key of 3 bytes with a body of `count` bytes.
    private func size(_ count: Int) -> Int { 64 + count }

    @Test func `An entry is read unchanged, also by another cache of the directory`() throws {
        var headers: HTTPHeaderFields = ["Content-Type": "image/png", "ETag": "\"ä\""]
        headers.append("Via", "1")
        headers.append("Via", "2")
        let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try cache().store(DataCacheEntry(data: body, headers: headers), for: "key")
        let found = try #require(try cache().entry(for: "key"))
        #expect(found.data == body)
        #expect(found.headers == headers)
        #expect(cache().contains("key"))
        #expect(try cache().entry(for: "other") == nil)
    }

    @Test func `Empty bodies and empty keys are entries too`() throws {
        try cache().store(DataCacheEntry(data: Data()), for: "")
        #expect(try cache().entry(for: "")?.data == Data())
    }

    @Test func `Neither a lookup nor creating a cache lists a directory`() throws {
        try cache().store(entry("a"), for: "key")
        files.fail(FileFault(.list, code: 5, persists: true))
        let before = files.callCount
        #expect(try cache().entry(for: "key") != nil)
        // One call looks for the file, one opens it.
        #expect(files.callCount == before + 2)
    }

    @Test func `Random operations: the limits hold after each step, and the most recently used entries stay (F13)`()
        throws
    {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let limits = DataCacheLimits(bytes: 3_000, count: 12, useInterval: .zero)
        var cache = cache(limits)
        var kept: [(key: String, size: Int, text: String)] = []
        for step in 0..<3_000 {
            clock.advance(by: .seconds(1))
            let key = "k" + String(Int.random(in: 10..<40, using: &random))
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<9:
                let found = try cache.entry(for: key)
                let at = kept.firstIndex { $0.key == key }
                try #require((found != nil) == (at != nil), "seed \(seed), step \(step)")
                if let at {
                    let used = kept.remove(at: at)
                    kept.append(used)
                    try #require(found?.data == Data(used.text.utf8), "seed \(seed), step \(step)")
                }
            case 9..<18:
                let text = String(repeating: "\(step % 10)", count: Int.random(in: 0..<600, using: &random))
                try cache.store(entry(text), for: key)
                kept.removeAll { $0.key == key }
                kept.append((key, size(text.utf8.count), text))
                while kept.count > 12 || kept.reduce(0, { $0 + $1.size }) > 3_000 { kept.removeFirst() }
            case 18:
                try cache.remove(key)
                kept.removeAll { $0.key == key }
            default:
                // Models a new process: the order of use then follows from the files' times.
                cache.flush()
                cache = self.cache(limits)
            }
            let there = files.files
            try #require(there.count == kept.count, "seed \(seed), step \(step)")
            try #require(there.values.reduce(0) { $0 + $1.count } == kept.reduce(0) { $0 + $1.size })
            try #require(there.values.reduce(0) { $0 + $1.count } <= 3_000, "seed \(seed), step \(step)")
        }
    }

    @Test func `An entry is gone once it is older than the age, for lookups and after the next store`() throws {
        let limits = DataCacheLimits(age: .seconds(60))
        let cache = cache(limits)
        try cache.store(entry("1"), for: "one")
        try cache.store(entry("2"), for: "two")
        clock.advance(by: .seconds(60))
        #expect(try cache.entry(for: "one") != nil)
        clock.advance(by: .seconds(1))
        #expect(try cache.entry(for: "one") == nil)
        #expect(files.files.count == 1)
        // Models a cache that reads the ages from the files.
        try self.cache(limits).store(entry("3"), for: "three")
        #expect(files.files.count == 1)
        #expect(try cache.entry(for: "three") != nil)
    }

    @Test func `A use is recorded on disk at most once per interval`() throws {
        let cache = cache(DataCacheLimits(useInterval: .seconds(600)))
        try cache.store(entry("1"), for: "one")
        clock.advance(by: .seconds(600))
        let path = cache.tree.path(of: EntryID(key: "one"))
        let stored = try files.status(path).modified
        func used(_ seconds: Int64) throws -> Int64 {
            clock.advance(by: .seconds(seconds))
            #expect(try cache.entry(for: "one") != nil)
            cache.flush()
            return try files.status(path).modified
        }
        #expect(try used(0) == stored)
        let noted = try used(1)
        #expect(noted == clock.elapsed.nanoseconds)
        #expect(try used(600) == noted)
        #expect(try used(1) == clock.elapsed.nanoseconds)
        // A read-only directory is still a cache.
        files.fail(FileFault(.touch, code: 5, persists: true))
        #expect(try used(601) < clock.elapsed.nanoseconds)
    }

    @Test func `Two keys with one file name replace each other and are never confused`() throws {
        let cache = DataCache(
            directory: "/cache", limits: DataCacheLimits(), fileSystem: files, now: { .zero },
            identify: { _ in EntryID(high: 1, low: 2) })
        try cache.store(entry("a"), for: "a")
        #expect(try cache.entry(for: "b") == nil)
        #expect(try cache.entry(for: "a") != nil)
        try cache.store(entry("b"), for: "b")
        #expect(try cache.entry(for: "a") == nil)
        #expect(try cache.entry(for: "b")?.data == Data("b".utf8))
        #expect(try cache.statistics().count == 1)
    }

    @Test func `An intact entry under a foreign name is a miss and is removed`() throws {
        let cache = cache()
        try cache.store(entry("a"), for: "a")
        let path = try #require(files.files.keys.first)
        files[cache.tree.path(of: EntryID(key: "b"))] = files[path]
        #expect(try cache.entry(for: "b") == nil)
        #expect(files.files.keys.sorted() == [path])
        #expect(try cache.entry(for: "a") != nil)
    }

    @Test func `An entry above the whole limit is refused, and the older one stays`() throws {
        let cache = cache(DataCacheLimits(bytes: 100))
        try cache.store(entry("a"), for: "key")
        #expect(throws: DataCachingError.self) {
            try cache.store(entry(String(repeating: "a", count: 100)), for: "key")
        }
        #expect(try cache.entry(for: "key") != nil)
        #expect(throws: DataCachingError.self) {
            try cache.store(entry("a"), for: String(repeating: "k", count: 2 << 20))
        }
    }

    @Test func `Leftovers of dead writers are removed after ten minutes, foreign files stay`() throws {
        let shard = "/cache/v2/\(EntryID(key: "a").shard)"
        files["\(shard)/.1-1-a.tmp"] = Data([1])
        clock.advance(by: .seconds(300))
        files["\(shard)/.1-2-a.tmp"] = Data([2])
        files["\(shard)/notes.txt"] = Data([3])
        clock.advance(by: .seconds(301))
        try cache().store(entry("a"), for: "a")
        #expect(files["\(shard)/.1-1-a.tmp"] == nil)
        #expect(files["\(shard)/.1-2-a.tmp"] != nil)
        #expect(files["\(shard)/notes.txt"] != nil)
    }

    @Test func `Another process' removals, additions and whole clearing break nothing`() throws {
        let limits = DataCacheLimits(bytes: size(10) * 8)
        let one = cache(limits)
        let two = cache(limits)
        for number in 10..<200 {
            clock.advance(by: .seconds(1))
            let cache = number % 3 == 0 ? one : two
            try cache.store(entry("0123456789"), for: "k\(number)")
            #expect(try (number % 2 == 0 ? one : two).entry(for: "k\(number)") != nil)
            #expect(files.files.count <= 8)
            if number == 100 { files.removeTree("/cache") }
            if number == 150 { try two.removeAll() }
        }
    }

    @Test func `An entry from the future has no known age, and is gone if there is an age; a minute is no future`()
        throws
    {
        let limits = DataCacheLimits(age: .seconds(3_600))
        clock.advance(by: .seconds(86_400))
        try cache(limits).store(entry("a"), for: "a")
        clock.advance(by: .seconds(-30))
        #expect(try cache(limits).entry(for: "a") != nil)
        clock.advance(by: .seconds(-60))
        #expect(try cache().entry(for: "a") != nil)
        #expect(try cache(limits).entry(for: "a") == nil)
        #expect(try cache().entry(for: "a") == nil)
    }

    @Test func `Verifying reports every damaged file and removes it only on request`() throws {
        let cache = cache()
        for name in ["a", "b", "c"] { try cache.store(entry(name), for: name) }
        let path = cache.tree.path(of: EntryID(key: "b"))
        files[path]?[64] ^= 1
        let foreign = path.dropLast(37) + "x.txt"
        files[String(foreign)] = Data([1])
        var problems = try cache.verify()
        #expect(problems.map(\.path).sorted() == [path, String(foreign)].sorted())
        #expect(problems.allSatisfy { !$0.isRemoved })
        problems = try cache.verify(removing: true)
        #expect(problems.filter(\.isRemoved).map(\.path) == [path])
        #expect(try cache.verify().count == 1)
        #expect(try cache.entries().map(\.key).sorted() == ["a", "c"])
        #expect(try cache.statistics().count == 2)
    }

    @Test func `Entries have their key, headers, sizes and times`() throws {
        let key = String(repeating: "long ", count: 2_000)
        try cache().store(DataCacheEntry(data: Data(count: 10), headers: ["A": "b"]), for: key)
        let record = try #require(try cache().entries().first)
        #expect(record.key == key)
        #expect(record.bodyBytes == 10)
        #expect(record.fileBytes == files[record.path]?.count)
        #expect(record.created == clock.elapsed)
        #expect(record.used == clock.elapsed)
        #expect(try cache().entry(for: key)?.headers == ["A": "b"])
    }

    @Test func `Removing everything leaves an empty cache that works`() throws {
        let cache = cache()
        for number in 0..<50 { try cache.store(entry("x"), for: "\(number)") }
        try cache.removeAll()
        #expect(files.files.isEmpty)
        #expect(try cache.statistics().count == 0)
        try cache.store(entry("x"), for: "1")
        #expect(try cache.entry(for: "1") != nil)
    }
}
