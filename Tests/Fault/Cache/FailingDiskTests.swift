import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import FirnSystem
import TestSupport
import Testing

/// Tests loads over a data cache with a failing file system: the user gets events and every image.
@Suite struct `Loads with a failing disk` {
    private static let names = ["a", "b", "c"]
    private static let size = PixelSize(width: 20, height: 10)

    private final class Events: ImagePipeline.Delegate {
        let errors = Locked<[DataCachingError]>([])

        func dataCacheFailed(with error: DataCachingError, for request: ImageRequest, pipeline: ImagePipeline) {
            errors.withLock { $0.append(error) }
        }
    }

    /// Loads three images, and loads them again in a later pipeline.
    ///
    /// - Returns: the reported errors.
    private func load(_ files: InMemoryFileSystem) async throws -> [DataCachingError] {
        let events = Events()
        for _ in 0..<2 {
            let loader = ScriptedLoader()
            var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [ScriptedDecoder()])
            let limits = DataCacheLimits(bytes: 150, useInterval: .zero)
            configuration.dataCache = DataCache(
                directory: "/cache", limits: limits, fileSystem: files, now: { .seconds(9) })
            let pipeline = ImagePipeline(configuration: configuration, delegate: events)
            for name in Self.names {
                let url = "https://example.org/\(name)"
                loader.respond(to: url, with: ScriptedDecoder.image(Self.size))
                #expect(try await pipeline.image(for: url).size == Self.size)
                await pipeline.flush()
            }
        }
        return events.errors.withLock { $0 }
    }

    private func temporaries(_ files: InMemoryFileSystem) -> [String] {
        files.files.keys.filter { $0.hasSuffix(".tmp") }
    }

    @Test(arguments: [ENOSPC, EIO, EMFILE, EROFS], [false, true])
    func `Whichever call fails, once or permanently, every image is loaded and no temporary file stays`(
        code: Int32, persists: Bool
    ) async throws {
        let whole = InMemoryFileSystem(now: { .seconds(1) })
        #expect(try await load(whole).isEmpty)
        var told = 0
        for number in 1...whole.callCount {
            let files = InMemoryFileSystem(now: { .seconds(1) })
            files.fail(FileFault(number: number, code: code, persists: persists))
            let errors = try await load(files)
            told += errors.isEmpty ? 0 : 1
            #expect(errors.allSatisfy { $0.code == code && $0.message.contains("/cache") }, "call \(number): \(errors)")
            files.clearFaults()
            // If a writer fails and cannot remove its temporary file, a later sweep removes it.
            if !persists { #expect(temporaries(files).count <= 1, "call \(number)") }
            let later = DataCache(
                directory: "/cache", fileSystem: files, now: { .seconds(9_000) })
            #expect(try later.verify(removing: true).allSatisfy { $0.isRemoved }, "call \(number)")
            #expect(temporaries(files).isEmpty, "call \(number)")
        }
        #expect(told > 10)
    }

    @Test func `A full or read-only disk only causes events`() async throws {
        let full = InMemoryFileSystem()
        full.capacity = 30
        let errors = try await load(full)
        #expect(errors.count == 6 && errors.allSatisfy { $0.code == ENOSPC })
        #expect(full.files.isEmpty)

        let fixed = InMemoryFileSystem()
        _ = try await load(fixed)
        fixed.isReadOnly = true
        #expect(try await load(fixed).allSatisfy { $0.code == EROFS })
        #expect(temporaries(fixed).isEmpty)
    }

    @Test func `A directory that is removed between loads is created again`() async throws {
        let files = InMemoryFileSystem()
        for _ in 0..<3 {
            #expect(try await load(files).isEmpty)
            #expect(!files.files.isEmpty)
            files.removeTree("/cache")
        }
    }
}
