import Firn
import FirnMigration
import FirnSync
import FirnTesting
import Foundation
import FoundationNetworking
import Testing

/// Loaders and caches as they were written for Nuke.
@Suite(.timeLimit(.minutes(5))) struct NukePartsTests {
    private final class Handle: Cancellable {
        let count = Locked(0)
        func cancel() { count.withLock { $0 += 1 } }
    }

    /// Responds at once, with an error, or never.
    private final class TwoCallbacks: NukeDataLoading {
        enum Reaction { case body, failure, ownFailure, coded, silence }

        struct OwnError: Error {}

        let reaction: Reaction
        let handle = Handle()
        let sent = Locked<[URLRequest]>([])

        init(_ reaction: Reaction) { self.reaction = reaction }

        func loadData(
            with request: URLRequest, didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
            completion: @escaping @Sendable ((any Error)?) -> Void
        ) -> any Cancellable {
            sent.withLock { $0.append(request) }
            guard reaction != .silence, let url = request.url,
                let response = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: nil,
                    headerFields: reaction == .coded
                        ? ["Content-Encoding": "gzip", "Content-Length": "90000"] : ["Content-Type": "test"])
            else { return handle }
            if reaction == .ownFailure {
                completion(OwnError())
                return handle
            }
            if reaction == .failure {
                completion(URLError(.timedOut))
            } else {
                let data = ScriptedDecoder.image(PixelSize(width: 4, height: 3))
                didReceiveData(data.prefix(5), response)
                didReceiveData(data.dropFirst(5), response)
                completion(nil)
                // No event may follow the end. The engine ignores events of a loader that sends them anyway.
                completion(URLError(.unknown))
            }
            return handle
        }
    }

    private final class Drawer: NukeDataCaching {
        let entries = Locked<[String: Data]>([:])
        func cachedData(for key: String) -> Data? { entries.withLock { $0[key] } }
        func containsData(for key: String) -> Bool { entries.withLock { $0[key] != nil } }
        func storeData(_ data: Data, for key: String) { entries.withLock { $0[key] = data } }
        func removeData(for key: String) { entries.withLock { $0[key] = nil } }
        func removeAll() { entries.withLock { $0 = [:] } }
    }

    private func pipeline(_ loader: any DataLoading, _ cache: (any DataCaching)? = nil) -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [ScriptedDecoder()])
        configuration.dataCache = cache
        return ImagePipeline(configuration: configuration)
    }

    @Test func `A loader with two callbacks loads, and receives method and header fields`() async throws {
        let loader = TwoCallbacks(.body)
        var sent = URLRequest(url: try #require(URL(string: "https://example.org/a")))
        sent.setValue("1", forHTTPHeaderField: "X-Test")
        let response = try await pipeline(loader).imageTask(with: ImageRequest(urlRequest: sent)).response
        #expect(response.image.size == PixelSize(width: 4, height: 3))
        #expect((response.urlResponse as? HTTPURLResponse)?.statusCode == 200)
        #expect(response.dataResponse?.headers["Content-Type"] == "test")
        let request = try #require(loader.sent.withLock { $0.first })
        #expect(request.httpMethod == "GET")
        #expect(request.value(forHTTPHeaderField: "X-Test") == "1")
    }

    /// Sends an image in two chunks, or waits for its end.
    private struct Streaming: NukeStreamLoading {
        let isEndless: Bool

        func loadData(with request: URLRequest) async throws -> (AsyncThrowingStream<Data, any Error>, URLResponse) {
            guard let url = request.url else { throw URLError(.badURL) }
            let data = ScriptedDecoder.image(PixelSize(width: 4, height: 3))
            let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
            continuation.yield(data.prefix(5))
            continuation.yield(data.dropFirst(5))
            if !isEndless { continuation.finish() }
            return (stream, URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil))
        }
    }

    @Test func `A loader with a stream loads`() async throws {
        let image = try await pipeline(Streaming(isEndless: false)).image(for: "https://example.org/a")
        #expect(image.size == PixelSize(width: 4, height: 3))
    }

    @Test func `Cancelling a stream transfer ends it once, and its stream`() async {
        let (events, continuation) = AsyncStream.makeStream(of: DataEvent.self)
        let transfer = Streaming(isEndless: true).startLoading(DataRequest(url: "https://example.org/a")) { event in
            continuation.yield(event)
            if case .end = event { continuation.finish() }
        }
        var ends = 0
        for await event in events {
            if case .chunk = event { transfer.cancel() }
            if case .end = event { ends += 1 }
        }
        #expect(ends == 1)
    }

    @Test func `An error of a stream loader fails the request at the stage of loading`() async {
        do throws(ImageLoadingError) {
            _ = try await pipeline(TwoCallbacks(.failure)).image(for: "https://example.org/a")
            Issue.record("the loader failed")
        } catch {
            #expect(error.stage == .loading)
            #expect(error.fault == .source)
        }
    }

    @Test func `Cancelling a transfer cancels the loader's task, and ends once`() {
        let loader = TwoCallbacks(.silence)
        let ends = Locked(0)
        let transfer = loader.startLoading(DataRequest(url: "https://example.org/a")) { event in
            if case .end(let error) = event {
                #expect(error?.cause == .cancelled)
                ends.withLock { $0 += 1 }
            }
        }
        transfer.cancel()
        transfer.cancel()
        #expect(loader.handle.count.withLock { $0 } == 1)
        #expect(ends.withLock { $0 } == 1)
    }

    @Test func `A data cache of bytes by key stores and serves loaded bytes`() async throws {
        let cache = Drawer()
        let request = ImageRequest(url: "https://example.org/a")
        let first = pipeline(TwoCallbacks(.body), cache)
        _ = try await first.image(for: request)
        await first.flush()
        #expect(cache.entries.withLock { $0.keys.sorted() } == ["https://example.org/a"])
        let response = try await pipeline(TwoCallbacks(.failure), cache).imageTask(with: request).response
        #expect(response.cacheType == .disk)
    }

    @Test func `DataCache by Nuke's names stores, finds and removes`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = try DataCache(path: folder)
        cache["a"] = Data("1".utf8)
        #expect(cache["a"] == Data("1".utf8))
        #expect(cache.containsData(for: "a"))
        cache["a"] = nil
        #expect(cache["a"] == nil)
        cache.sizeLimit = -1
        #expect(cache.sizeLimit == 0)
        #expect(throws: DataCachingError.self) { try DataCache(path: URL(string: "https://example.org")!) }
    }

    @Test func `A loader's own error is found as it was thrown`() async throws {
        let url = "https://example.org/a"
        let own = await #expect(throws: ImageLoadingError.self) {
            _ = try await pipeline(TwoCallbacks(.ownFailure)).image(for: url)
        }
        #expect(own?.underlying is TwoCallbacks.OwnError)
        #expect(own?.dataLoadingError is TwoCallbacks.OwnError)
        let late = await #expect(throws: ImageLoadingError.self) {
            _ = try await pipeline(TwoCallbacks(.failure)).image(for: url)
        }
        #expect((late?.underlying as? DataLoadingError)?.cause == .timeout)
        #expect((late?.dataLoadingError as? URLError)?.code == .timedOut)
        let missed = await #expect(throws: ImageLoadingError.self) {
            let request = ImageRequest(url: url, options: .returnCacheDataDontLoad)
            _ = try await pipeline(TwoCallbacks(.body)).image(for: request)
        }
        #expect(missed?.dataLoadingError == nil)
    }

    @Test func `The stated length of a compressed body is not that of its bytes`() async throws {
        let image = try await pipeline(TwoCallbacks(.coded)).image(for: "https://example.org/a")
        #expect(image.size == PixelSize(width: 4, height: 3))
    }

    @Test func `The error of a decoder that was written for Nuke is found as it was thrown`() async {
        struct Failing: NukeImageDecoding {
            func decode(_ data: Data) throws -> ImageContainer { throw TwoCallbacks.OwnError() }
        }
        var configuration = ImagePipeline.Configuration(dataLoader: TwoCallbacks(.body), decoders: [Failing()])
        configuration.imageCache = nil
        let pipeline = ImagePipeline(configuration: configuration)
        let error = await #expect(throws: ImageLoadingError.self) {
            _ = try await pipeline.image(for: "https://example.org/a")
        }
        #expect(error?.underlying is TwoCallbacks.OwnError)
        #expect(error?.stage == .decoding)
    }
}
