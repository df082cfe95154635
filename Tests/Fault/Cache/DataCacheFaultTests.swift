import FirnCache
import FirnData
import FirnTesting
import FoundationEssentials
import FirnSystem
import TestSupport
import Testing

/// Tests the data cache on a failing file system.
@Suite struct DataCacheFaultTests {
    private static let old = Data("old".utf8)
    private static let new = Data("new and longer".utf8)
    private static let limits = DataCacheLimits(bytes: 400, useInterval: .zero)

    private func cache(_ files: InMemoryFileSystem) -> DataCache {
        DataCache(directory: "/cache", limits: DataCacheFaultTests.limits, fileSystem: files, now: { .seconds(9) })
    }

    /// Returns a full directory, so that a store must evict.
    private func filled() throws -> InMemoryFileSystem {
        let files = InMemoryFileSystem(now: { .seconds(1) })
        let cache = cache(files)
        for key in ["a", "b", "c", "d"] { try cache.store(DataCacheEntry(data: DataCacheFaultTests.old), for: key) }
        return files
    }

    private func temporaries(_ files: InMemoryFileSystem) -> [String] {
        files.files.keys.filter { $0.hasSuffix(".tmp") }
    }

    @Test(arguments: [ENOSPC, EIO, EMFILE, EACCES], [false, true])
    func `Whichever call of a store fails, it succeeds or throws, leaves nothing, and later reads are right`(
        code: Int32, overwrites: Bool
    ) throws {
        let key = overwrites ? "b" : "e"
        let runs = try failEachCall(code, limit: 1_000, on: filled) { files -> (DataCache, DataCachingError?) in
            let cache = self.cache(files)
            do throws(DataCachingError) {
                try cache.store(DataCacheEntry(data: DataCacheFaultTests.new), for: key)
                return (cache, nil)
            } catch {
                return (cache, error)
            }
        } check: { files, outcome, call in
            let (cache, failure) = outcome
            #expect(temporaries(files) == [], "call \(call)")
            #expect(files.files.values.reduce(0) { $0 + $1.count } <= DataCacheFaultTests.limits.bytes, "call \(call)")
            let found = try cache.entry(for: key)?.data
            if let failure {
                #expect(found == nil || found == DataCacheFaultTests.old, "call \(call)")
                #expect(failure.code == code && failure.message.contains("/cache"), "call \(call)")
            } else {
                #expect(found == DataCacheFaultTests.new, "call \(call)")
            }
            #expect(try cache.verify() == [], "call \(call)")
            try cache.store(DataCacheEntry(data: DataCacheFaultTests.new), for: key)
            #expect(try cache.entry(for: key)?.data == DataCacheFaultTests.new, "call \(call)")
        }
        #expect(runs > 5 && runs < 1_000)
    }

    @Test(arguments: [EIO, EMFILE])
    func `Whichever call of a lookup fails, the result is right, a miss or an error, and nothing changes`(code: Int32)
        throws
    {
        for number in 1...4 {
            let files = try filled()
            let before = files.files
            files.fail(FileFault(number: number, code: code))
            let found = try? cache(files).entry(for: "b")
            #expect(found == nil || found?.data == DataCacheFaultTests.old)
            #expect(files.files == before)
            files.clearFaults()
            #expect(try cache(files).entry(for: "b")?.data == DataCacheFaultTests.old)
        }
    }

    @Test func `A full disk throws an error with path and reason, and stores work again once there is space`() throws {
        let files = InMemoryFileSystem()
        let cache = cache(files)
        files.capacity = 50
        let error = #expect(throws: DataCachingError.self) {
            try cache.store(DataCacheEntry(data: DataCacheFaultTests.new), for: "a")
        }
        #expect(error?.code == ENOSPC)
        #expect(error?.message.contains("No space left on device") == true)
        #expect(files.files.isEmpty)
        files.capacity = .max
        try cache.store(DataCacheEntry(data: DataCacheFaultTests.new), for: "a")
        #expect(try cache.entry(for: "a")?.data == DataCacheFaultTests.new)
    }

    @Test func `A read-only directory can be read, and stores fail`() throws {
        let files = try filled()
        files.isReadOnly = true
        #expect(try cache(files).entry(for: "b")?.data == DataCacheFaultTests.old)
        let error = #expect(throws: DataCachingError.self) {
            try cache(files).store(DataCacheEntry(data: DataCacheFaultTests.new), for: "e")
        }
        #expect(error?.code == EROFS)
    }

    @Test func `A temporary file of a dead writer has no effect`() throws {
        for kept in [0, 10, 60, 70] {
            let files = try filled()
            files.fail(FileFault(.create, code: EIO, leaving: kept))
            #expect(throws: DataCachingError.self) {
                try cache(files).store(DataCacheEntry(data: DataCacheFaultTests.new), for: "b")
            }
            #expect(temporaries(files).count == 1)
            #expect(try cache(files).entry(for: "b")?.data == DataCacheFaultTests.old)
            #expect(try cache(files).entries().count == 4)
        }
    }

    @Test func `The whole directory may be removed at any time`() throws {
        let files = try filled()
        let cache = cache(files)
        #expect(try cache.statistics().count == 4)
        files.removeTree("/cache")
        #expect(try cache.entry(for: "b") == nil)
        try cache.store(DataCacheEntry(data: DataCacheFaultTests.new), for: "b")
        #expect(try cache.entry(for: "b")?.data == DataCacheFaultTests.new)
    }

    @Test func `Entries that cannot be removed do not stop others from being evicted`() throws {
        let files = try filled()
        let cache = cache(files)
        files.fail(FileFault(.remove, number: 1, code: EACCES))
        try cache.store(DataCacheEntry(data: DataCacheFaultTests.new), for: "e")
        try cache.store(DataCacheEntry(data: DataCacheFaultTests.new), for: "f")
        #expect(files.files.values.reduce(0) { $0 + $1.count } <= DataCacheFaultTests.limits.bytes)
        #expect(try cache.entry(for: "f") != nil)
    }
}
