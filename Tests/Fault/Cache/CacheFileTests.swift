import FirnCache
import FirnData
import FirnImage
import FoundationEssentials
import FirnSystem
import Testing

/// Tests files of caches that other processes change, on a real file system.
@Suite(.timeLimit(.minutes(5))) final class `Files of a cache` {
    private let directory: String

    init() throws { directory = try temporaryFolder("cache") }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private var cache: DataCache { DataCache(directory: "\(directory)/cache") }

    /// Returns the paths of the cache and of all files and directories below it.
    private func paths() -> [String] {
        let root = "\(directory)/cache"
        return [root] + ((try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []).map { "\(root)/\($0)" }
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : 0
    }

    /// Returns the largest file below the cache.
    private func entryPath() throws -> String {
        func size(_ path: String) -> Int {
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : -1
        }
        return try #require(paths().max { size($0) < size($1) })
    }

    @Test(arguments: [300_000, 9 << 20])
    func `An entry that is truncated while it is in use stays intact`(size: Int) throws {
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try cache.store(DataCacheEntry(data: body), for: "a")
        let entry = try #require(try cache.entry(for: "a"))
        try #require(truncate(try entryPath(), 4096) == 0)
        #expect(entry.data == body)
        #expect(try cache.entry(for: "a") == nil, "and is not served again")
    }

    @Test func `Files are accessible to their owner only`() throws {
        let cache = cache
        for key in ["a", "b", "c"] { try cache.store(DataCacheEntry(data: Data(key.utf8)), for: key) }
        let bitmaps = BitmapStore.disk(path: "\(directory)/cache")
        let image = try Bitmap(size: PixelSize(width: 2, height: 2)) { _ in }
        try bitmaps.store(ImageContainer(image: image, format: .png), for: ImageCacheKey("k"))
        let found = paths()
        #expect(found.count >= 9)
        for path in found {
            let mode = mode(path)
            #expect(mode & 0o777 == (mode & S_IFMT == S_IFDIR ? 0o700 : 0o600), "\(path)")
        }
    }

    @Test func `A pipe in place of an entry is a miss at once, and is removed`() throws {
        let cache = cache
        try cache.store(DataCacheEntry(data: Data(count: 5000)), for: "a")
        let path = try entryPath()
        for other in [cache, self.cache] {
            unlink(path)
            try #require(mkfifo(path, 0o600) == 0)
            #expect(try other.entry(for: "a") == nil)
            #expect(access(path, F_OK) != 0)
        }
        try cache.store(DataCacheEntry(data: Data(count: 7000)), for: "a")
        #expect(try cache.entry(for: "a")?.data.count == 7000)
    }
}
