import FirnData
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnCache

/// Tests entries of the data cache that are written asynchronously, and the limits that hold for all processes.
@Suite struct DataCacheStagingTests {
    private let files = InMemoryFileSystem(now: { .seconds(1) })

    private func cache(_ limits: DataCacheLimits = DataCacheLimits()) -> DataCache {
        DataCache(directory: "/cache", limits: limits, fileSystem: files, now: { .seconds(1) })
    }

    private func entry(_ count: Int, of byte: UInt8 = 1) -> DataCacheEntry {
        DataCacheEntry(data: Data(repeating: byte, count: count))
    }

    @Test func `A staged entry is found at once, and on the disk after a flush`() throws {
        let cache = cache()
        let ends = Locked(0)
        for number in 0..<50 {
            cache.stage(entry(1_000, of: UInt8(number)), for: "\(number)") { error in
                #expect(error == nil)
                ends.withLock { $0 += 1 }
            }
            #expect(cache.contains("\(number)"))
            #expect(try cache.entry(for: "\(number)")?.data == Data(repeating: UInt8(number), count: 1_000))
        }
        cache.flush()
        #expect(ends.withLock { $0 } == 50)
        #expect(files.files.count == 50)
        let other = self.cache()
        for number in 0..<50 {
            #expect(try other.entry(for: "\(number)")?.data == Data(repeating: UInt8(number), count: 1_000))
        }
    }

    @Test func `If too much is staged, the caller writes`() throws {
        let cache = cache(DataCacheLimits(stagedBytes: 3_000))
        for number in 0..<200 {
            cache.stage(entry(1_000), for: "\(number)")
            #expect(cache.staging.withLock { $0.writes.bytes } <= 3_000)
        }
        // An entry larger than the staging limit is written as well.
        cache.stage(entry(10_000), for: "large")
        cache.flush()
        #expect(files.files.count == 201)
    }

    @Test func `A failed write is reported, and its entry is no longer found`() throws {
        let cache = cache()
        files.fail(FileFault(.create, code: 28, persists: true))
        let errors = Locked<[DataCachingError?]>([])
        cache.stage(entry(10), for: "a") { error in errors.withLock { $0.append(error) } }
        cache.flush()
        #expect(errors.withLock { $0.map { $0?.code } } == [28])
        #expect(try cache.entry(for: "a") == nil)
        #expect(files.files.isEmpty)
    }

    @Test func `A staged entry that is removed never comes back; of several, the last one stays`() throws {
        let cache = cache()
        for round in 0..<200 {
            cache.stage(entry(100, of: 1), for: "a")
            if round % 2 == 0 { try cache.remove("a") } else { try cache.store(entry(100, of: 2), for: "a") }
            cache.stage(entry(100, of: 3), for: "b")
            if round % 3 == 0 { try cache.removeAll() }
            cache.flush()
            let isThere = round % 2 == 1 && round % 3 != 0
            #expect(try cache.entry(for: "a")?.data == (isThere ? Data(repeating: 2, count: 100) : nil), "\(round)")
            #expect(cache.contains("b") == (round % 3 != 0), "\(round)")
        }
        #expect(try cache.verify() == [])
    }

    @Test func `Two caches of one directory never hold more than the limits together`() throws {
        let limits = DataCacheLimits(bytes: 4_000, count: 20, useInterval: .zero)
        let caches = [cache(limits), cache(limits), cache(limits)]
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for step in 0..<2_000 {
            let key = "k\(Int.random(in: 0..<60, using: &random))"
            let cache = caches[Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<14: try cache.store(entry(Int.random(in: 0..<500, using: &random)), for: key)
            case 14..<18: _ = try cache.entry(for: key)
            case 18: try cache.remove(key)
            default: if step % 5 == 0 { try cache.removeAll() }
            }
            let there = files.files.values
            try #require(there.count <= 20, "seed \(seed), step \(step)")
            try #require(there.reduce(0) { $0 + $1.count } <= 4_000, "seed \(seed), step \(step)")
        }
        let held = try caches[0].statistics()
        #expect(held.count == files.files.count)
        #expect(held.bytes == files.files.values.reduce(0) { $0 + $1.count })
    }

    @Test func `A hit of a just removed entry does not return it to the index`() {
        var index = DiskIndex()
        let file = DiskIndex.File(id: EntryID(key: "a"), size: 100, used: 1, created: 1)
        index.use(file, isPartial: true)
        #expect(index.count == 1)
        index.remove(file.id)
        // Models a lookup that read the file just before the writer removed it.
        index.use(file, isPartial: false)
        #expect(index.count == 0 && index.bytes == 0)
    }

    @Test func `A wrong record is corrected and costs at most evictions`() throws {
        let limits = DataCacheLimits(bytes: 4_000)
        let first = cache(limits)
        try first.store(entry(1_000), for: "a")
        // The state that a process leaves that ends between counting and naming.
        let record = try #require(try files.sharedRecord("/cache/v2/usage"))
        try record.take()
        var usage = try #require(CacheUsage(try record.read()))
        usage.add(100_000)
        try record.write(usage.data)
        record.leave()
        try cache(limits).store(entry(1_000), for: "b")
        try cache(limits).store(entry(1_000), for: "c")
        #expect(files.files.count == 3)

        try record.take()
        try record.write(Data(repeating: 7, count: 80))
        record.leave()
        try cache(limits).store(entry(1_000), for: "d")
        #expect(files.files.count <= 4 && files.files.values.reduce(0) { $0 + $1.count } <= 4_000)
        #expect(try cache(limits).statistics().count == files.files.count)
    }

    @Test func `Entries removed by a process that died are subtracted once`() throws {
        let knowing = cache()
        for key in ["a", "b", "c"] { try knowing.store(entry(1_000), for: key) }
        _ = try knowing.statistics()
        // Another process removed the file and died before it updated the record; a third process has corrected the
        // record since.
        files[knowing.tree.path(of: EntryID(key: "a"))] = nil
        let third = cache()
        try third.store(entry(10), for: "d")
        try third.gate.withLock { gate throws in
            try third.inTurn(&gate) { (gate, turn) throws(DataFileError) in
                try third.readDirectory(&gate, &turn, at: 1_000_000_000)
            }
        }
        try knowing.store(entry(1_000, of: 2), for: "a")
        let record = try #require(try files.sharedRecord("/cache/v2/usage"))
        try record.take()
        let usage = CacheUsage(try record.read())
        record.leave()
        #expect(usage?.bytes == files.files.values.reduce(0) { $0 + $1.count })
        #expect(usage?.count == files.files.count)
    }

    @Test func `A first store into a directory with room reads no more than it writes`() throws {
        for number in 0..<30 { try cache().store(entry(10), for: "\(number)") }
        let before = files.callCount
        files.fail(FileFault(.list, code: 5, persists: true))
        try cache().store(entry(10), for: "new")
        #expect(files.callCount - before <= 8)
    }

    @Test func `A cache shrinks if the disk is nearly full`() throws {
        let cache = cache(DataCacheLimits(freeSpaceShare: 0.5))
        files.freeSpace = 10_000_000
        for number in 0..<10 { try cache.store(entry(100_000), for: "\(number)") }
        #expect(files.files.count == 10)
        // Another program fills the disk: from the next second or mebibyte on, the cache may hold half of the sum of
        // free and cached bytes.
        files.freeSpace = 100_000
        for number in 0..<10 { try cache.store(entry(100_000, of: 2), for: "new \(number)") }
        let held = files.files.values.reduce(0) { $0 + $1.count }
        #expect(held <= 1_200_000 / 2 && held > 300_000)
        #expect(try cache.entry(for: "new 9") != nil)
    }

    @Test func `Hits and misses of all processes are counted together`() throws {
        for round in 0..<3 {
            let cache = cache()
            if round == 0 { try cache.store(entry(10), for: "a") }
            _ = try cache.entry(for: "a")
            _ = try cache.entry(for: "b")
            cache.flush()
        }
        let totals = try cache().statistics().totals
        #expect(totals == DataCacheTotals(hits: 3, misses: 3, stores: 1, evictions: 0))
        #expect(try cache().removeAll { $0.key == "b" } == 0)
        #expect(try cache().removeAll { $0.key == "a" } == 1)
        #expect(files.files.isEmpty)
    }

    @Test func `A record returns its content, and nothing if any bit is wrong`() {
        var usage = CacheUsage()
        usage.add(1_234)
        usage.changes = 77
        usage.scanned = -5
        usage.totals = DataCacheTotals(hits: 1, misses: 2, stores: 3, evictions: 4)
        let data = usage.data
        #expect(CacheUsage(data) == usage)
        for bit in 0..<(data.count * 8) {
            var damaged = data
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(CacheUsage(damaged) == nil, "bit \(bit)")
        }
        #expect(CacheUsage(Data()) == nil)
    }
}
