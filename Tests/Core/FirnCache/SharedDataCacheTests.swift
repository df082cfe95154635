import FirnData
import FirnTesting
import Foundation
import Testing

@testable import FirnCache

/// Tests of the data cache that pipelines have if they name no other.
@Suite struct SharedDataCacheTests {
    private let scratch = "/tmp/firn-home-\(UInt64.random(in: 0 ... .max))"

    private func directory(_ environment: [String: String]) -> String? {
        DataCache.shared(executable: "viewer", environment: environment)?.folder
    }

    @Test func `The shared cache is in the user's cache folder, named after the executable`() throws {
        #expect(directory(["HOME": "/home/me"]) == "/home/me/.cache/viewer/images")
        #expect(directory(["HOME": "/home/me", "XDG_CACHE_HOME": "/var/me"]) == "/var/me/viewer/images")
        // The specification has relative paths ignored.
        #expect(directory(["HOME": "/home/me", "XDG_CACHE_HOME": "me"]) == "/home/me/.cache/viewer/images")
        let cache = try #require(DataCache.shared(executable: "viewer", environment: ["HOME": "/home/me"]))
        #expect(cache.limits.bytes == 150 << 20)
    }

    @Test func `A process that runs tests has no shared cache`() {
        #expect(DataCache.shared == nil)
        for name in ["FirnPackageTests.xctest", "FirnTests-test-runner", "swiftpm-testing-helper"] {
            #expect(DataCache.shared(executable: name, environment: ["HOME": "/home/me"]) == nil)
        }
        #expect(DataCache.shared(executable: "a", environment: ["HOME": "/", "SWT_EXIT_TEST_ID": "1"]) == nil)
        #expect(ProgramName.current.hasSuffix(".xctest"))
    }

    @Test func `Nothing is on disk before the first request`() throws {
        let cache = try #require(DataCache.shared(executable: "viewer", environment: ["XDG_CACHE_HOME": scratch]))
        _ = cache.partialBodies
        #expect(!FileManager.default.fileExists(atPath: scratch))
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        #expect(try cache.entry(for: "a") == nil)
        try cache.store(DataCacheEntry(data: Data([1])), for: "a")
        #expect(try cache.entry(for: "a")?.data == Data([1]))
        let mode = try FileManager.default.attributesOfItem(atPath: cache.folder)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test func `Without a home every call fails for the same reason`() throws {
        let cache = try #require(DataCache.shared(executable: "viewer", environment: ["HOME": "me"]))
        let expected = "~/.cache: cannot keep a cache in it: neither XDG_CACHE_HOME nor HOME is an absolute path"
        for cache in [cache, cache.partialBodies] {
            let error = #expect(throws: DataCachingError.self) { try cache.entry(for: "a") }
            #expect(error?.message == expected)
            #expect(error?.isRefusal == true)
            #expect(throws: DataCachingError.self) { try cache.store(DataCacheEntry(data: Data([1])), for: "a") }
        }
    }

    @Test(arguments: [false, true]) func `a directory that is not a file URL is refused`(isShared: Bool) throws {
        let url = try #require(URL(string: "https://example.org/cache"))
        let cache = DataCache(directory: url, isShared: isShared)
        for cache in [cache, cache.partialBodies] {
            let error = #expect(throws: DataCachingError.self) {
                try cache.store(DataCacheEntry(data: Data([1])), for: "a")
            }
            #expect(error?.message == "no path: cannot keep a cache in it: it cannot be written to")
        }
        #expect(ThumbnailStore(directory: url).folder == "")
    }

    @Test func `a directory is given as a URL or as a path`() {
        for cache in [DataCache(directory: URL(filePath: "/tmp/a b%/")), .disk(path: "/tmp/a b%")] {
            #expect(cache.folder == "/tmp/a b%")
        }
        #expect(BitmapStore.disk(path: "/tmp/a b%").folder == BitmapStore.disk(at: URL(filePath: "/tmp/a b%/")).folder)
    }

    @Test func `A folder that cannot be created is given up at once`() throws {
        // A file in place of the directory: it holds for all users, root among them.
        try Data().write(to: URL(filePath: scratch))
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let cache = try #require(DataCache.shared(executable: "viewer", environment: ["XDG_CACHE_HOME": scratch]))
        for _ in 0..<2 {
            let error = #expect(throws: DataCachingError.self) { try cache.entry(for: "a") }
            #expect(error?.message == "\(scratch)/viewer/images: cannot keep a cache in it: it cannot be written to")
        }
    }
}
