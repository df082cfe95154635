import FirnCache
import FirnData
import FirnImage
import FoundationEssentials
import FirnSystem
import Testing

/// Tests what is no file, or no directory, at the names of a cache, on a real file system.
@Suite(.timeLimit(.minutes(5))) final class `Obstacles in a cache's folder` {
    /// The kinds of occupants of a name.
    enum Obstacle: CaseIterable {
        case linkToItself, danglingLink, linkToFile, linkToFolder, folder, fullFolder, pipe, socket

        func make(at path: String, beside outside: String) throws {
            switch self {
            case .linkToItself: symlink(path, path)
            case .danglingLink: symlink("\(outside)/nothing", path)
            case .linkToFile: symlink("\(outside)/file", path)
            case .linkToFolder: symlink(outside, path)
            case .folder: mkdir(path, 0o700)
            case .fullFolder:
                mkdir(path, 0o700)
                mkdir("\(path)/inner", 0o700)
                symlink(outside, "\(path)/inner/link")
                try Data("x".utf8).write(to: URL(filePath: "\(path)/inner/file"))
            case .pipe: mkfifo(path, 0o600)
            case .socket: mknod(path, S_IFSOCK | 0o600, 0)
            }
            var status = stat()
            try #require(lstat(path, &status) == 0)
        }
    }

    private let directory: String
    private let outside: String

    init() throws {
        directory = try temporaryFolder("obstacles")
        outside = "\(directory)/outside"
        mkdir(outside, 0o700)
        try Data("mine".utf8).write(to: URL(filePath: "\(outside)/file"))
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private var folder: String { "\(directory)/cache" }

    private func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private func expectOutsideUntouched(_ note: String = "") throws {
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["file"], "\(note)")
        #expect(try Data(contentsOf: URL(filePath: "\(outside)/file")) == Data("mine".utf8), "\(note)")
    }

    private func image() throws -> ImageContainer {
        ImageContainer(image: try Bitmap(size: PixelSize(width: 20, height: 20)) { _ in }, format: .png)
    }

    /// Stores one entry with a new cache, and returns the path of its file.
    private func filledData() throws -> String {
        try DataCache(directory: folder).store(DataCacheEntry(data: Data(count: 5_000)), for: "a")
        return try path(below: "\(folder)/v2")
    }

    private func filledBitmaps() throws -> String {
        try BitmapStore.disk(path: folder).store(image(), for: ImageCacheKey("k"))
        return try path(below: "\(folder)/bitmaps-v1")
    }

    private func path(below root: String) throws -> String {
        let names = try FileManager.default.subpathsOfDirectory(atPath: root)
        return "\(root)/" + (try #require(names.first { $0.hasSuffix(".firn") }))
    }

    @Test(arguments: Obstacle.allCases)
    func `at the name of an entry are a miss, and are removed`(obstacle: Obstacle) throws {
        let path = try filledData()
        unlink(path)
        try obstacle.make(at: path, beside: outside)
        let cache = DataCache(directory: folder)
        #expect(!cache.contains("a"))
        #expect(try cache.entry(for: "a") == nil)
        #expect(!isThere(path))
        try cache.store(DataCacheEntry(data: Data(count: 10)), for: "a")
        #expect(try DataCache(directory: folder).entry(for: "a")?.data.count == 10)
        try expectOutsideUntouched()

        let bitmap = try filledBitmaps()
        unlink(bitmap)
        try obstacle.make(at: bitmap, beside: outside)
        let store = BitmapStore.disk(path: folder)
        #expect(store.image(for: ImageCacheKey("k")) == nil)
        #expect(!isThere(bitmap))
        try obstacle.make(at: bitmap, beside: outside)
        #expect(store.pyramid(for: ImageCacheKey("k")) == nil)
        #expect(!isThere(bitmap))
        try expectOutsideUntouched()
    }

    @Test(arguments: Obstacle.allCases)
    func `at the name of an entry are replaced by a store`(obstacle: Obstacle) throws {
        let (path, bitmap) = (try filledData(), try filledBitmaps())
        for place in [path, bitmap] {
            unlink(place)
            try obstacle.make(at: place, beside: outside)
        }
        let (cache, store) = (DataCache(directory: folder), BitmapStore.disk(path: folder))
        try cache.store(DataCacheEntry(data: Data(count: 10)), for: "a")
        try store.store(image(), for: ImageCacheKey("k"))
        #expect(try cache.entry(for: "a")?.data.count == 10)
        #expect(store.image(for: ImageCacheKey("k")) != nil)
        #expect(try cache.statistics().count == 1 && store.statistics().count == 1)
        try expectOutsideUntouched()
    }

    @Test(arguments: Obstacle.allCases)
    func `are counted by verify, and removed by verify and by removeAll`(obstacle: Obstacle) throws {
        let (path, bitmap) = (try filledData(), try filledBitmaps())
        let shard = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let places = [path, bitmap, "\(shard)/.1-1-a.tmp"]
        for removes in [true, false] {
            for place in places {
                unlink(place)
                try obstacle.make(at: place, beside: outside)
            }
            let (cache, store) = (DataCache(directory: folder), BitmapStore.disk(path: folder))
            #expect(try cache.statistics().count == 0)
            #expect(try cache.verify().map(\.isRemoved) == [false, false])
            #expect(try store.verify().map(\.isRemoved) == [false])
            if removes {
                #expect(try cache.verify(removing: true).allSatisfy(\.isRemoved))
                #expect(try store.verify(removing: true).allSatisfy(\.isRemoved))
            } else {
                try cache.removeAll()
                try store.removeAll()
            }
            for place in places { #expect(!isThere(place), "\(place) \(removes)") }
            try expectOutsideUntouched("\(removes)")
        }
    }

    @Test(arguments: Obstacle.allCases.filter { $0 != .folder && $0 != .fullFolder })
    func `at the names of directories are removed`(obstacle: Obstacle) throws {
        let path = try filledData()
        let shard = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        for place in [shard, "\(folder)/v2", "\(folder)/partial"] {
            try? FileManager.default.removeItem(atPath: place)
            try obstacle.make(at: place, beside: outside)
            let cache = DataCache(directory: folder)
            let parts = cache.partialBodies
            try cache.store(DataCacheEntry(data: Data(count: 10)), for: "a")
            try parts.store(DataCacheEntry(data: Data(count: 10)), for: "b")
            #expect(try cache.entry(for: "a") != nil && parts.entry(for: "b") != nil, "\(place)")
            // Also while the cache is in use.
            try? FileManager.default.removeItem(atPath: place)
            try obstacle.make(at: place, beside: outside)
            _ = try cache.verify(removing: true)
            _ = try parts.verify(removing: true)
            try cache.removeAll()
            try parts.removeAll()
            try cache.store(DataCacheEntry(data: Data(count: 10)), for: "a")
            try parts.store(DataCacheEntry(data: Data(count: 10)), for: "b")
            #expect(try cache.entry(for: "a") != nil && parts.entry(for: "b") != nil, "\(place)")
            try expectOutsideUntouched(place)
        }
    }

    @Test(arguments: Obstacle.allCases)
    func `at the name of the usage record are replaced`(obstacle: Obstacle) throws {
        _ = try filledData()
        let usage = "\(folder)/v2/usage"
        unlink(usage)
        try obstacle.make(at: usage, beside: outside)
        let cache = DataCache(directory: folder)
        try cache.store(DataCacheEntry(data: Data(count: 10)), for: "b")
        #expect(try cache.statistics().count == 2)
        var status = stat()
        #expect(lstat(usage, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0)
        try expectOutsideUntouched()
    }

    @Test func `a usage record that has another name, too, is replaced`() throws {
        _ = try filledData()
        let usage = "\(folder)/v2/usage"
        unlink(usage)
        try #require(link("\(outside)/file", usage) == 0)
        let cache = DataCache(directory: folder)
        try cache.store(DataCacheEntry(data: Data(count: 10)), for: "b")
        #expect(try cache.statistics().count == 2)
        try expectOutsideUntouched()
    }
}
