import Firn
import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import FirnSystem
import Testing

/// Tests folders of caches that other users can write to, on a real file system.
@Suite(.timeLimit(.minutes(5))) final class `Folders of other users` {
    private let directory: String

    init() throws { directory = try temporaryFolder("folders") }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Makes a folder, and those above it below the test's own, and sets its mode.
    private func folder(_ name: String, mode: mode_t) throws -> String {
        let path = "\(directory)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(chmod(path, mode) == 0)
        return path
    }

    private func code(_ path: String) -> Int32? {
        do throws(DataFileError) {
            _ = try LocalFileSystem.caches.checkPrivate(path, parts: ["\(path)/v2"])
            return nil
        } catch { return error.code }
    }

    @Test func `a folder of the user is fine, one that others can write to is not`() throws {
        for mode in [0o700, 0o755, 0o750, 0o711] as [mode_t] {
            #expect(try code(folder("own", mode: mode)) == nil, "\(mode)")
        }
        for mode in [0o777, 0o702, 0o1777, 0o757] as [mode_t] {
            #expect(try code(folder("own", mode: mode)) == DataFileError.openToOthers, "\(mode)")
        }
    }

    @Test func `a folder below one that others can write to is fine only if that is sticky`() throws {
        let inner = try folder("shared/inner", mode: 0o700)
        for (mode, expected) in [(0o755, nil), (0o1777, nil), (0o777, DataFileError.openToOthers)] as [(mode_t, Int32?)]
        {
            _ = try folder("shared", mode: mode)
            #expect(code(inner) == expected, "\(mode)")
            #expect(code("\(inner)/missing/deep") == expected ?? ENOENT, "\(mode)")
        }
    }

    @Test func `a link to a folder is judged by where it leads, and a part of the cache by itself`() throws {
        let open = try folder("open", mode: 0o777)
        let fine = try folder("fine", mode: 0o755)
        try #require(symlink(open, "\(directory)/to-open") == 0 && symlink(fine, "\(directory)/to-fine") == 0)
        #expect(code("\(directory)/to-open") == DataFileError.openToOthers)
        #expect(code("\(directory)/to-fine") == nil)
        _ = try folder("fine/v2", mode: 0o777)
        #expect(code(fine) == DataFileError.openToOthers)
    }

    @Test func `a folder of another user is refused`() throws {
        let other = try folder("other", mode: 0o755)
        // Only root can give a folder away.
        guard geteuid() == 0 else { return }
        try #require(chown(other, 12_345, 12_345) == 0)
        #expect(code(other) == DataFileError.ownedByAnother)
        #expect(try code(folder("other/inner", mode: 0o755)) == DataFileError.ownedByAnother)
        // A group of others, and the group of the user alone.
        let group = try folder("group", mode: 0o775)
        #expect(code(group) == nil)
        try #require(chown(group, 0, 12_345) == 0)
        #expect(code(group) == DataFileError.openToOthers)
    }

    @Test func `a refused folder fails every call with its name and the reason, and nothing is written`() throws {
        let open = try folder("open", mode: 0o777)
        let cache = DataCache(directory: open)
        let entry = DataCacheEntry(data: Data(count: 10))
        #expect(!cache.contains("a"))
        for call in [
            { _ = try cache.entry(for: "a") }, { try cache.store(entry, for: "a") }, { try cache.remove("a") },
            { try cache.removeAll() }, { _ = try cache.statistics() }, { _ = try cache.verify() },
        ] as [() throws -> Void] {
            let error = #expect(throws: DataCachingError.self) { try call() }
            #expect(error?.message == "\(open): cannot keep a cache in it: other users can write to it")
        }
        let store = BitmapStore.disk(path: open)
        let image = ImageContainer(image: try Bitmap(size: PixelSize(width: 2, height: 2)) { _ in }, format: .png)
        #expect(throws: DataCachingError.self) { try store.store(image, for: ImageCacheKey("k")) }
        #expect(store.image(for: ImageCacheKey("k")) == nil)
        cache.flush()
        #expect(try FileManager.default.contentsOfDirectory(atPath: open).isEmpty)
    }

    @Test func `a shared folder is used`() throws {
        let open = try folder("open", mode: 0o777)
        try DataCache(directory: open, isShared: true).store(DataCacheEntry(data: Data(count: 10)), for: "a")
        #expect(try DataCache(directory: open, isShared: true).entry(for: "a") != nil)
        #expect(throws: DataCachingError.self) { try DataCache(directory: open).entry(for: "a") }
    }

    @Test func `a pipeline goes on without a refused folder, and says so once for all caches in it`() async throws {
        let open = try folder("open", mode: 0o777)
        let loader = ScriptedLoader()
        let recorder = Recorder<PipelineEvent>()
        let size = PixelSize(width: 4, height: 3)
        let pipeline = ImagePipeline {
            $0.observers = [recorder]
            $0.dataLoader = loader
            $0.decoders = [ScriptedDecoder()]
            $0.dataCache = .disk(path: open)
            $0.bitmapStore = .disk(path: open)
        }
        for name in ["a", "b", "c"] {
            loader.respond(to: "https://example.org/\(name)", with: ScriptedDecoder.image(size))
            #expect(try await pipeline.image(for: "https://example.org/\(name)").size == size)
        }
        await pipeline.flush()
        let errors = recorder.calls.compactMap { event -> DataCachingError? in
            if case .dataCacheFailed(let error, _) = event.kind { error } else { nil }
        }
        #expect(errors.map(\.message) == ["\(open): cannot keep a cache in it: other users can write to it"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: open).isEmpty)
    }
}
