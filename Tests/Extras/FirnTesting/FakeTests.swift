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
        #expect(cache.hits.calls == [kept])
        #expect(cache.misses.calls == ["other"])
        #expect(cache.stores.calls == ["other"])
        #expect(cache.removals.calls == [kept])
        #expect(Array(cache.images.keys) == ["other"])
        cache.removeAll()
        #expect(cache.images.isEmpty && cache.removals.calls == [kept, "other"])
    }

    @Test func `An image cache that refuses stores stays empty`() throws {
        let cache = ScriptedImageCache(refusesStores: true)
        cache["a"] = try container()
        #expect(cache["a"] == nil)
        #expect(cache.stores.calls == ["a"])
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
        #expect(cache.hits.calls == ["a"] && cache.misses.calls == ["a", "a"])
        #expect(cache.stores.calls == ["a"] && cache.removals.calls == ["a", "a", "a"])
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
        #expect(encoder.sizes.calls == [size])
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
        await processor.sizes.wait { $0.calls.count == 1 }
        flag.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        #expect(processor.sizes.record.cancelled.count == 1)
        processor.release()
        #expect(try processor.process(container).image.size == size)
    }

    @Test func `A recorder counts running calls, cancelled ones and the largest number at one time`() async {
        let recorder = Recorder<String>()
        recorder.start("a")
        recorder.start("b")
        recorder.end("b", isCancelled: true)
        recorder.start("c")
        #expect(recorder.calls == ["a", "b", "c"] && recorder.count == 3 && !recorder.isEmpty)
        #expect(recorder.record.cancelled == ["b"] && recorder.record.ended == ["b"])
        #expect(recorder.record.active == 2 && recorder.record.peak == 2)
    }

    @Test func `A wait gets the record that satisfied it, and the current one in a cancelled task`() async {
        let recorder = Recorder<Int>()
        let even = Task { await recorder.wait { !$0.calls.isEmpty && $0.calls.count.isMultiple(of: 2) } }
        let never = Task { await recorder.wait { _ in false } }
        for number in 0..<101 { recorder.add(number) }
        recorder.add(101)
        #expect(await even.value.calls.count.isMultiple(of: 2))
        never.cancel()
        #expect(await never.value.calls.count <= 102)
    }

    @Test func `Events of a pipeline are in the order of their times`() async {
        let recorder = Recorder<PipelineEvent>()
        for (time, number) in [(1, 1), (3, 2), (2, 3), (3, 4), (0, 5)] {
            recorder.pipeline(didObserve: PipelineEvent(time: .seconds(time), kind: .taskPaused(UInt32(number))))
        }
        #expect(recorder.calls.map(\.time) == [0, 1, 2, 3, 3].map { .seconds($0) })
    }

    @Test func `The order of a transfer's events is checked`() async {
        func violations(_ events: DataEvent...) -> [String] {
            let recorder = Recorder<DataEvent>()
            for event in events { recorder.add(event) }
            return recorder.record.violations
        }
        let response = DataEvent.response(DataResponse(url: "", status: 200, expectedLength: 2))
        #expect(violations(response, .chunk(Data([1, 2])), .end(nil)) == [])
        #expect(violations(.end(DataLoadingError(.connection, "reset"))) == [])
        #expect(violations(.chunk(Data([1])), response) == ["a chunk before the response"])
        #expect(violations(response, response, .chunk(Data())) == ["a second response", "an empty chunk"])
        #expect(violations(.end(nil)) == ["an end without an error or a response"])
        #expect(violations(response, .end(nil)) == ["an end without an error after 0 of 2 bytes"])
        let late = violations(.end(DataLoadingError(.connection, "reset")), response)
        #expect(late == ["an event after the end"])
    }
}
