import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// The error of a request keeps the error that caused it, whatever stage threw that.
@Suite(.timeLimit(.minutes(5))) struct ErrorCauseTests {
    /// An error of the caller's own: a reference, so that a copy would be noticed.
    private final class Own: Error, CustomStringConvertible {
        let description = "no ink"
    }

    private struct Failing: ImageProcessing {
        let identifier = "failing"
        let error: any Error
        func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
            throw error
        }
    }

    private final class Refusing: ImagePipeline.Delegate {
        let error: any Error
        init(_ error: any Error) { self.error = error }
        func willLoadData(
            for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
        ) async throws -> DataRequest { throw error }
    }

    private static func failure(_ pipeline: ImagePipeline, _ request: ImageRequest) async -> ImageLoadingError? {
        await #expect(throws: ImageLoadingError.self) { _ = try await pipeline.image(for: request) }
    }

    @Test(arguments: [
        DataLoadingError.Cause.timeout, .connection, .truncated, .insecure, .status(503), .tooLarge(limit: 5),
    ])
    func `The loader's error is kept unchanged as the cause`(cause: DataLoadingError.Cause) async {
        let fixture = PipelineFixture()
        let own = Own()
        let url = "https://example.org/a"
        fixture.loader.fail(url, with: DataLoadingError(cause, "in words", retryAfter: .seconds(3), underlying: own))
        let error = await Self.failure(fixture.pipeline, ImageRequest(url: url))
        let loading = error?.underlying as? DataLoadingError
        #expect(loading?.cause == cause)
        #expect(loading?.retryAfter == .seconds(3))
        #expect(loading?.underlying as? Own === own)
    }

    @Test func `The error keeps what a data closure threw`() async {
        let own = Own()
        let request = ImageRequest(id: "chart", data: { throw own })
        let error = await Self.failure(PipelineFixture().pipeline, request)
        #expect(error?.underlying as? Own === own)
        #expect(error?.stage == .loading)
        #expect(error.map { "\($0)" } == "chart: no ink")
    }

    @Test func `The error keeps what an image closure threw`() async {
        let own = Own()
        let error = await Self.failure(
            PipelineFixture().pipeline, ImageRequest(id: "chart", image: { throw own }))
        #expect(error?.underlying as? Own === own)
    }

    @Test func `A closure that asks another pipeline passes on the fault, the status and the cause`() async {
        let (inner, outer) = (PipelineFixture(), PipelineFixture())
        let missing = "https://example.org/missing"
        let pipeline = inner.pipeline
        let requests = [
            ImageRequest(id: "bytes", data: { try await pipeline.data(for: ImageRequest(url: missing)).0 }),
            ImageRequest(
                id: "image", image: { ImageContainer(image: try await pipeline.image(for: missing)) }),
        ]
        for request in requests {
            let error = await Self.failure(outer.pipeline, request)
            #expect(error?.fault == .source)
            #expect(error?.statusCode == 404)
            #expect(error?.source == request.description)
            let thrown = error?.underlying as? ImageLoadingError
            #expect(thrown?.source == missing)
            #expect((thrown?.underlying as? DataLoadingError)?.cause == .status(404))
        }
    }

    @Test func `The error keeps what a delegate threw`() async {
        let own = Own()
        let fixture = PipelineFixture(delegate: Refusing(own))
        let error = await Self.failure(fixture.pipeline, ImageRequest(url: fixture.image("a")))
        #expect(error?.underlying as? Own === own)
        #expect(error?.fault == .request)
    }

    @Test func `The decoder's error is kept unchanged as the cause`() async {
        let cause = ImageError(.unsupported, at: .decoding, "a color space of next year")
        let fixture = PipelineFixture(decoder: ScriptedDecoder(failingWith: cause))
        let error = await Self.failure(fixture.pipeline, ImageRequest(url: fixture.image("a")))
        #expect(error?.underlying as? ImageError == cause)
        #expect(error?.stage == .decoding)
    }

    @Test func `Content that no decoder recognizes has a decoding error as its cause`() async {
        let fixture = PipelineFixture()
        fixture.loader.respond(to: "https://example.org/page", with: Data("<!DOCTYPE html>".utf8))
        let error = await Self.failure(fixture.pipeline, ImageRequest(url: "https://example.org/page"))
        #expect((error?.underlying as? ImageError)?.fault == .data)
    }

    @Test func `The error keeps what a processor threw`() async {
        let own = Own()
        let fixture = PipelineFixture()
        let error = await Self.failure(
            fixture.pipeline, ImageRequest(url: fixture.image("a"), processors: [Failing(error: own)]))
        #expect(error?.underlying as? Own === own)
        #expect(error?.stage == .processing)
    }

    @Test func `A file that cannot be read has an error of reading as its cause`() async {
        let fixture = PipelineFixture { $0.files = InMemoryFileSystem() }
        let error = await Self.failure(fixture.pipeline, ImageRequest(path: "/none"))
        let cause = error?.underlying as? ImageError
        #expect(cause?.path == "/none" && cause?.fault == .missing && cause?.stage == .reading)
        let folder = await #expect(throws: ImageLoadingError.self) {
            _ = try await fixture.pipeline.requests(inFolder: URL(filePath: "/none"))
        }
        #expect((folder?.underlying as? ImageError)?.fault == .missing)
    }

    @Test(arguments: [PixelSize(-1), PixelSize(width: -1, height: 20), PixelSize(width: 20, height: Int.min)])
    func `a target with a negative side fails the request, whatever is in memory`(size: PixelSize) async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a")
        let request = ImageRequest(url: url, targetSize: TargetSize(size))
        for _ in 0..<2 {
            #expect(await Self.failure(fixture.pipeline, request)?.fault == .request)
            _ = try await fixture.pipeline.image(for: url)
        }
        let bitmap = try Bitmap(size: 9) { _ in }
        let made = ImageRequest(id: "made", targetSize: TargetSize(size), image: { ImageContainer(image: bitmap) })
        #expect(await Self.failure(fixture.pipeline, made)?.fault == .request)
    }

    @Test func `A folder that is not a file URL fails the request`() async throws {
        let url = try #require(URL(string: "https://example.org/images/"))
        let error = await #expect(throws: ImageLoadingError.self) {
            _ = try await PipelineFixture().pipeline.requests(inFolder: url)
        }
        #expect(error?.fault == .request && error?.source == "https://example.org/images/")
    }

    @Test func `A fault that the pipeline finds by itself has no underlying error`() async {
        let fixture = PipelineFixture()
        let request = ImageRequest(url: "https://example.org/a", options: .returnCacheDataDontLoad)
        let error = await Self.failure(fixture.pipeline, request)
        #expect(error?.fault == .request && error?.underlying == nil)
    }

    @Test func `All tasks of a shared load get the same error value: images, bytes, events and observers`() async throws
    {
        let fixture = PipelineFixture()
        let own = Own()
        let url = "https://example.org/a"
        fixture.loader.fail(url, with: DataLoadingError(.timeout, "too late", underlying: own))
        fixture.loader.hold(url)
        let request = ImageRequest(url: url)
        let pipeline = fixture.pipeline
        let tasks = (0..<3).map { _ in pipeline.imageTask(with: request) }
        let events = tasks[2].events
        async let bytes = #expect(throws: ImageLoadingError.self) { _ = try await pipeline.data(for: request) }
        _ = await fixture.loader.waitForRequest(url)
        try await eventually { pipeline.statistics.coalesced >= 3 }
        fixture.loader.release(url)
        var errors = [await bytes]
        for task in tasks {
            errors.append(await #expect(throws: ImageLoadingError.self) { _ = try await task.image })
        }
        for await event in events {
            if case .finished(.failure(let error)) = event { errors.append(error) }
        }
        #expect(errors.count == 5)
        for error in errors { #expect((error?.underlying as? DataLoadingError)?.underlying as? Own === own) }
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `A failure that is remembered keeps its cause`() async {
        let fixture = PipelineFixture { $0.remembersFailures = true }
        let url = "https://example.org/gone"
        fixture.loader.fail(url, with: DataLoadingError(.status(410), "gone", underlying: Own()))
        for _ in 0..<2 {
            let error = await Self.failure(fixture.pipeline, ImageRequest(url: url))
            let cause = error?.underlying as? DataLoadingError
            #expect(cause?.cause == .status(410) && cause?.underlying is Own)
        }
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `The error of a decoder of the program's own is the cause`() async {
        let own = Own()
        let decoder = ScriptedDecoder(failingWith: ImageError(.data, at: .decoding, "in words", underlying: own))
        let fixture = PipelineFixture(decoder: decoder)
        let error = await Self.failure(fixture.pipeline, ImageRequest(url: fixture.image("a")))
        #expect(error?.underlying as? Own === own)
        #expect(error?.stage == .decoding)
    }

    @Test(arguments: [ImageRequest(url: nil as URL?), ImageRequest(url: ""), ImageRequest(url: " \n")])
    func `A request without an address asks no loader`(request: ImageRequest) async {
        let fixture = PipelineFixture(memory: true)
        let error = await Self.failure(fixture.pipeline, request)
        #expect(error?.fault == .request)
        #expect(error?.stage == .request)
        #expect(error?.message == "the request has no address")
        #expect(fixture.loader.requests.isEmpty)
    }

    @Test func `A cache miss of a cache-only request is the request's fault`() async {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a")
        let error = await Self.failure(fixture.pipeline, ImageRequest(url: url, options: .returnCacheDataDontLoad))
        #expect(error?.fault == .request)
        #expect(error?.stage == .loading)
        #expect(error?.underlying == nil)
        #expect(fixture.loader.requests.isEmpty)
    }

    @Test func `A body that is longer than stated is no error`() async throws {
        let fixture = PipelineFixture()
        let (task, transfer) = await fixture.start("https://example.org/a")
        let body = ScriptedDecoder.image(PipelineFixture.size)
        transfer.respond(DataResponse(url: "https://example.org/a", status: 200, expectedLength: 5))
        transfer.send(body.prefix(4))
        transfer.send(body[4...])
        transfer.finish()
        #expect(try await task.image.size == PipelineFixture.size)
    }
}
