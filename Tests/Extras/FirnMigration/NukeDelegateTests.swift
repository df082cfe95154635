import Firn
import FirnData
import FirnImage
import FirnMigration
import FirnPipeline
import FirnSync
import FirnTesting
import Foundation
import FoundationNetworking
import Testing

/// Tests that the methods of delegates written for Nuke are called.
@Suite(.timeLimit(.minutes(1))) struct NukeDelegateTests {
    /// A delegate as it is written for Nuke, which records its calls.
    private final class Written: ImagePipelineDelegate {
        let notes = Locked<[String]>([])
        func note(_ text: String) { notes.withLock { $0.append(text) } }

        func willLoadData(
            for request: ImageRequest, urlRequest: URLRequest, pipeline: ImagePipeline
        ) async throws -> URLRequest {
            if urlRequest.url?.path == "/secret" { throw URLError(.userAuthenticationRequired) }
            var signed = urlRequest
            signed.setValue("Bearer example", forHTTPHeaderField: "Authorization")
            return signed
        }

        func willCache(
            data: Data, image: ImageContainer?, for request: ImageRequest, pipeline: ImagePipeline,
            completion: @escaping (Data?) -> Void
        ) {
            note("will cache \(image == nil)")
            completion(data + [7])
            completion(nil)
        }

        func imageEncoder(for context: ImageEncodingContext, pipeline: ImagePipeline) -> any ImageEncoding {
            PNGEncoder()
        }

        func imageTask(_ task: ImageTask, didUpdateProgress progress: ImageTask.Progress, pipeline: ImagePipeline) {
            if progress.completed == progress.total { note("progress") }
        }

        func imageTaskDidCancel(_ task: ImageTask, pipeline: ImagePipeline) { note("cancelled") }

        func imageTask(
            _ task: ImageTask, didCompleteWithResult result: Result<ImageResponse, ImagePipeline.Error>,
            pipeline: ImagePipeline
        ) { note("completed") }
    }

    private let loader = ScriptedLoader()
    private let cache = ScriptedDataCache()
    private let delegate = Written()
    private let url = "https://example.org/a"

    private func pipeline() -> ImagePipeline {
        loader.respond(to: url, with: ScriptedDecoder.image(PixelSize(width: 4, height: 3)))
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [ScriptedDecoder()])
        configuration.dataCache = cache
        return ImagePipeline(configuration: configuration, delegate: delegate)
    }

    @Test func `A request is signed and keeps its fields`() async throws {
        var request = DataRequest(url: url)
        request.headers["X-Of"] = "the program"
        _ = try await pipeline().image(for: ImageRequest(dataRequest: request))
        let sent = try #require(loader.requests.calls.first)
        #expect(sent.url == url && sent.method == "GET")
        #expect(sent.headers["Authorization"] == "Bearer example")
        #expect(sent.headers["X-Of"] == "the program")
    }

    @Test func `An error of a delegate ends the load, and nothing is sent`() async {
        await #expect(throws: ImageLoadingError.self) {
            try await pipeline().image(for: "https://example.org/secret")
        }
        #expect(loader.requests.isEmpty)
    }

    @Test func `The first call of the completion decides which data is stored`() async throws {
        let pipeline = pipeline()
        _ = try await pipeline.image(for: ImageRequest(url: url))
        await pipeline.flush()
        let stored = try #require(pipeline.cache.cachedData(for: ImageRequest(url: url)))
        #expect(stored.data.last == 7)
        #expect(delegate.notes.withLock { $0.contains("will cache true") })
    }

    @Test func `Cases of Nuke's errors match and compare`() async {
        let missing = ImageRequest(url: url, options: [.returnCacheDataDontLoad])
        let pipeline = pipeline()
        do {
            _ = try await pipeline.image(for: missing)
            Issue.record("there is no image in the caches")
        } catch {
            #expect(error == .dataMissingInCache && error != .dataLoadingFailed && error != .imageRequestMissing)
        }
        pipeline.invalidate()
        do {
            _ = try await pipeline.image(for: ImageRequest(url: url))
            Issue.record("the pipeline was invalidated")
        } catch ImagePipeline.Error.pipelineInvalidated {
        } catch { Issue.record("not the case: \(error)") }
        let cause = DataLoadingError(.timeout, "timed out")
        let failed = ImageLoadingError(.source, at: .loading, source: url, message: "timed out", underlying: cause)
        switch failed {
        case .dataMissingInCache, .decodingFailed, .processingFailed, .dataDownloadExceededMaximumSize:
            Issue.record("another case")
        case .dataLoadingFailed: break
        default: Issue.record("no case")
        }
    }

    @Test func `Events come to the methods of their kinds`() async throws {
        let pipeline = pipeline()
        let task = pipeline.imageTask(with: url)
        _ = try await task.image
        await pipeline.flush()
        #expect(delegate.notes.withLock { $0.count { $0 == "completed" } } == 1)
        // Which steps of progress a task sees depends on the speed of its transfer.
        delegate.notes.withLock { $0 = [] }
        let progress = ImageTask.Progress(completed: 3, total: 3)
        delegate.imageTask(task, didReceiveEvent: .progress(progress), pipeline: pipeline)
        #expect(delegate.notes.withLock { $0 } == ["progress"])
        delegate.notes.withLock { $0 = [] }
        loader.hold("https://example.org/b")
        pipeline.imageTask(with: "https://example.org/b").cancel()
        #expect(delegate.notes.withLock { $0 } == ["cancelled"])
    }

    @Test func `The encoder is the delegate's, and the configuration's if it chooses none`() throws {
        final class Silent: NukeDelegate {}
        let pipeline = pipeline()
        let image = ImageContainer(image: try Bitmap(size: PixelSize(width: 1, height: 1)) { _ in })
        let context = ImageEncodingContext(request: ImageRequest(url: url), container: image)
        let chosen: (any ImageEncoding)? = delegate.imageEncoder(for: context, pipeline: pipeline)
        #expect(chosen is PNGEncoder)
        let (silent, standard) = (Silent(), ImagePipeline())
        let none: (any ImageEncoding)? = silent.imageEncoder(for: context, pipeline: pipeline)
        #expect(none == nil)
        let configured: (any ImageEncoding)? = silent.imageEncoder(for: context, pipeline: standard)
        #expect(configured?.format == standard.configuration.imageEncoder?.format)
        #expect(configured != nil)
    }
}
