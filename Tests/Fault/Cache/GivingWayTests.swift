import FirnCache
import FirnData
import FirnImage
import FirnSync
import FirnTesting
import FoundationEssentials
import FirnSystem
import TestSupport
import Testing

/// Tests a data cache on a full disk, and another store that frees bytes of lower value.
@Suite struct GivingWayTests {
    private let files = InMemoryFileSystem(now: { .seconds(1) })

    private func entry(_ count: Int) -> DataCacheEntry { DataCacheEntry(data: Data(repeating: 7, count: count)) }

    private func cache(_ limits: DataCacheLimits = DataCacheLimits(), _ reclaim: @escaping @Sendable (Int) -> Int)
        -> DataCache
    {
        DataCache(directory: "/cache", limits: limits, fileSystem: files, now: { .seconds(9) }, reclaim: reclaim)
    }

    private func bitmaps(_ count: Int) throws -> BitmapStore {
        let store = BitmapStore(directory: "/cache", limits: .init(), fileSystem: files, now: { .seconds(5) })
        for number in 0..<count {
            let image = try Bitmap(size: PixelSize(width: 16, height: 16)) { _ in }
            try store.store(ImageContainer(image: image), for: ImageCacheKey("image \(number)"))
        }
        return store
    }

    @Test(arguments: [false, true]) func `Bitmaps are evicted for originals if the disk is full`(isStaged: Bool) throws
    {
        let store = try bitmaps(10)
        let used = files.files.values.reduce(0) { $0 + $1.count }
        files.capacity = used + 100
        let cache = cache { store.reclaim($0) }
        let failures = Locked<[DataCachingError]>([])
        for number in 0..<3 {
            if isStaged {
                cache.stage(entry(3_000), for: "\(number)") { error in
                    if let error { failures.withLock { $0.append(error) } }
                }
            } else {
                try cache.store(entry(3_000), for: "\(number)")
            }
        }
        cache.flush()
        #expect(failures.withLock { $0.isEmpty })
        for number in 0..<3 { #expect(try cache.entry(for: "\(number)")?.data.count == 3_000) }
        #expect((1..<10).contains(try store.records().count))
        #expect(!files.files.keys.contains { $0.hasSuffix(".tmp") })
    }

    @Test func `Without bitmaps to evict, a full disk is an error, and the store is asked only a few times`() {
        files.capacity = 50
        let asked = Locked(0)
        let cache = cache { bytes in
            #expect(bytes >= 3_000)
            asked.withLock { $0 += 1 }
            return 0
        }
        let error = #expect(throws: DataCachingError.self) { try cache.store(entry(3_000), for: "a") }
        #expect(error?.code == ENOSPC)
        #expect((1...4).contains(asked.withLock { $0 }))
        #expect(files.files.isEmpty)
    }

    @Test func `Entries stay if another store frees the space that their limit needs`() throws {
        files.freeSpace = 8_000
        let limits = DataCacheLimits(freeSpaceShare: 0.5)
        // The callback may use the cache, because no lock is held.
        let later = Locked<DataCache?>(nil)
        let cache = cache(limits) { bytes in
            #expect((try? later.withLock { $0 }?.entry(for: "0")) != nil)
            files.freeSpace = (files.freeSpace ?? 0) + bytes
            return bytes
        }
        later.withLock { $0 = cache }
        for number in 0..<20 { try cache.store(entry(2_000), for: "\(number)") }
        for number in 0..<20 { #expect(try cache.entry(for: "\(number)") != nil) }
        #expect(try cache.statistics().evictions == 0)
    }

    @Test func `Entries are evicted, least recently used first, if no other store frees space`() throws {
        files.freeSpace = 8_000
        let cache = cache(DataCacheLimits(freeSpaceShare: 0.5)) { _ in 0 }
        for number in 0..<20 { try cache.store(entry(2_000), for: "\(number)") }
        #expect(try cache.entry(for: "19") != nil)
        #expect(try cache.entry(for: "0") == nil)
        let held = try cache.statistics().bytes
        #expect(held <= (8_000 + held) / 2)
    }

    @Test func `The cache's own limit does not ask other stores`() throws {
        let cache = cache(DataCacheLimits(bytes: 10_000)) { _ in
            Issue.record("asked")
            return 0
        }
        for number in 0..<20 { try cache.store(entry(2_000), for: "\(number)") }
        #expect(try cache.statistics().evictions > 0)
    }
}
