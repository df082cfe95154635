import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

/// The fakes do what their documentation says.
@Suite(.timeLimit(.minutes(5))) struct FakeTests {
    private let size = PixelSize(width: 8, height: 6)

    private func container() throws -> ImageContainer {
        ImageContainer(image: try Bitmap(size: size) { _ in })
    }

    @Test func `An image cache records hits, misses, stores and removals`() throws {
        let kept = ImageCacheKey("kept")
        let cache = ScriptedImageCache([kept: try container()])
        #expect(cache[kept]?.image.size == size)
        #expect(cache["other"] == nil)
        cache["other"] = try container()
        cache[kept] = nil
        #expect(cache.record.hits == [kept])
        #expect(cache.record.misses == ["other"])
        #expect(cache.record.stores == ["other"])
        #expect(cache.record.removals == [kept])
        #expect(Array(cache.images.keys) == ["other"])
        cache.removeAll()
        #expect(cache.images.isEmpty && cache.record.clears == 1)
    }

    @Test func `An image cache that refuses stores stays empty`() throws {
        let cache = ScriptedImageCache(refusesStores: true)
        cache["a"] = try container()
        #expect(cache["a"] == nil)
        #expect(cache.record.stores == ["a"])
    }

    @Test func `An image cache knows the other sizes of an image`() throws {
        let whole = ImageCacheKey(family: "a", size: "")
        let small = ImageCacheKey(family: "a", size: "8x6")
        let cache = ScriptedImageCache([small: try container(), "b": try container()])
        #expect(cache.relatives(of: whole).count == 1)
        #expect(cache.relatives(of: small).isEmpty)
    }

    @Test func `A failing data cache keeps its entries`() throws {
        let cache = ScriptedDataCache(["a": DataCacheEntry(data: Data([1]))])
        let error = DataCachingError("no space left", code: 28)
        cache.failWrites(with: error)
        #expect(throws: error) { try cache.store(DataCacheEntry(data: Data([2])), for: "a") }
        #expect(throws: error) { try cache.remove("a") }
        #expect(throws: error) { try cache.removeAll() }
        #expect(try cache.entry(for: "a")?.data == Data([1]))
        cache.failReads(with: error)
        #expect(throws: error) { try cache.entry(for: "a") }
        #expect(cache.contains("a"))
        cache.failWrites(with: nil)
        cache.failReads(with: nil)
        try cache.remove("a")
        #expect(try cache.entry(for: "a") == nil)
        #expect(cache.record.hits == ["a"] && cache.record.misses == ["a", "a"])
        #expect(cache.record.stores == ["a"] && cache.record.removals == ["a", "a"] && cache.record.clears == 1)
    }

    @Test func `A staged entry is stored, and a failed one is reported`() throws {
        let cache = ScriptedDataCache()
        cache.stage(DataCacheEntry(data: Data([1])), for: "a") { #expect($0 == nil) }
        #expect(cache.contains("a"))
        cache.failWrites(with: DataCachingError("no space left"))
        cache.stage(DataCacheEntry(data: Data([1])), for: "b") { #expect($0?.message == "no space left") }
        #expect(!cache.contains("b"))
    }

    @Test func `An encoder writes what the scripted decoder reads`() throws {
        let encoder = ScriptedEncoder()
        let bytes = try encoder.encode(try container().image)
        #expect(bytes == ScriptedDecoder.image(size))
        #expect(encoder.record.sizes == [size])
        #expect(ScriptedDecoder().recognizes(bytes) == encoder.format)
    }

    @Test func `A cancelled or failing encoder throws`() throws {
        let flag = CancellationFlag()
        flag.cancel()
        let cancelled = #expect(throws: ImageError.self) {
            try ScriptedEncoder().encode(try container().image, cancellation: flag)
        }
        #expect(cancelled?.fault == .cancelled)
        let error = ImageError(.limit, at: .encoding, "too large", format: .png)
        #expect(throws: error) { try ScriptedEncoder(failingWith: error).encode(try container().image) }
    }

    @Test func `A held processor ends when it is cancelled`() async throws {
        let processor = ScriptedProcessor()
        processor.hold()
        let flag = CancellationFlag()
        let container = try container()
        let call = Task { try await onThread { try processor.process(container, cancellation: flag) } }
        await processor.wait { $0.sizes.count == 1 }
        flag.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        #expect(processor.record.cancelled == 1)
        processor.release()
        #expect(try processor.process(container).image.size == size)
    }

    @Test func `A delegate recorder sees a task from its creation to its end`() async throws {
        let loader = ScriptedLoader()
        loader.respond(to: "https://a/1", with: ScriptedDecoder.image(size))
        let delegate = DelegateRecorder(willCache: { _ in nil })
        let bytes = ScriptedDataCache()
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [ScriptedDecoder()])
        configuration.dataCache = bytes
        let pipeline = ImagePipeline(configuration: configuration, delegate: delegate)
        _ = try await pipeline.image(for: "https://a/1")
        let calls = await delegate.wait { calls in
            calls.contains { if case .willCache = $0 { true } else { false } }
        }
        await pipeline.flush()
        let kinds = calls.map { call in
            switch call {
            case .created: "created"
            case .started: "started"
            case .event(_, .progress): "progress"
            case .event(_, .preview): "preview"
            case .event(_, .finished): "finished"
            case .willLoadData: "willLoadData"
            case .willCache: "willCache"
            case .dataCacheFailed: "dataCacheFailed"
            }
        }
        #expect(Array(kinds.prefix(2)) == ["created", "started"])
        #expect(kinds.count { $0 == "finished" } == 1 && kinds.contains("willLoadData"))
        #expect(delegate.results.count == 1)
        #expect(bytes.record.stores.isEmpty)
    }
}
