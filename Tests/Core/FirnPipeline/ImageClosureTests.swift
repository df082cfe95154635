import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct ImageClosureTests {
    private static func image(_ width: Int, _ height: Int) throws -> ImageContainer {
        let size = PixelSize(width: width, height: height)
        return ImageContainer(image: try Bitmap(size: size, format: .rgba8Straight) { _ in })
    }

    @Test func `A closure's image is not decoded, but has the layout, size and processors asked for`() async throws {
        let fixture = PipelineFixture(memory: true)
        let runs = Counter()
        let request = ImageRequest(
            id: "chart", processors: [CountingProcessor(identifier: "tint", counter: runs)],
            targetSize: TargetSize(20)
        ) { try Self.image(40, 30) }
        let image = try await fixture.pipeline.image(for: request)
        #expect(image.size == PixelSize(width: 20, height: 15))
        #expect(image.format == .bgra8Premultiplied)
        #expect(runs.count == 1)
        #expect(fixture.decoder.decodes.isEmpty)
        #expect(fixture.pipeline.cachedImage(for: request) != nil)
    }

    @Test func `A closure's image that fits takes no further job, and is kept in memory`() async throws {
        let fixture = PipelineFixture(memory: true)
        @Sendable func image() throws -> ImageContainer {
            let size = PixelSize(width: 40, height: 30)
            return ImageContainer(image: try Bitmap(size: size, format: .bgra8Premultiplied) { _ in })
        }
        let request = ImageRequest(id: "chart") { try image() }
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.pipeline.statistics.processes == 0)
        #expect(fixture.pipeline.cachedImage(for: request)?.size == PixelSize(width: 40, height: 30))
        let small = ImageRequest(id: "small chart", targetSize: TargetSize(20)) { try image() }
        #expect(try await fixture.pipeline.image(for: small).size == PixelSize(width: 20, height: 15))
        #expect(fixture.pipeline.statistics.processes == 1)
    }

    @Test func `A closure runs once for concurrent tasks`() async throws {
        let fixture = PipelineFixture()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let calls = Counter()
        let request = ImageRequest(
            id: "chart",
            image: {
                calls.add()
                for await _ in gate {}
                return try Self.image(3, 2)
            })
        let tasks = (0..<10).map { _ in fixture.pipeline.imageTask(with: request) }
        opener.finish()
        for task in tasks { #expect(try await task.image.size.width == 3) }
        #expect(calls.count == 1)
    }

    @Test func `A closure is cancelled with its last task`() async throws {
        let fixture = PipelineFixture()
        let (began, begin) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Bool>.makeStream()
        let request = ImageRequest(
            id: "chart",
            image: {
                begin.finish()
                let (never, _keep) = AsyncStream<Void>.makeStream()
                for await _ in never {}
                _ = _keep
                end.yield(Task.isCancelled)
                end.finish()
                throw CancellationError()
            })
        let task = fixture.pipeline.imageTask(with: request)
        for await _ in began {}
        task.cancel()
        for await isCancelled in ended { #expect(isCancelled) }
    }

    @Test func `A closure that throws fails its request with the cause`() async {
        struct NoInk: Error, CustomStringConvertible { var description: String { "no ink" } }
        let fixture = PipelineFixture()
        await #expect {
            _ = try await fixture.pipeline.image(for: ImageRequest(id: "chart", image: { throw NoInk() }))
        } throws: { error in
            "\(error)" == "chart: no ink"
        }
    }

    @Test func `A closure's image and a closure's bytes of one id are different work`() async throws {
        let fixture = PipelineFixture()
        let bytes = ImageRequest(id: "x", data: ScriptedDecoder.image(PixelSize(width: 9, height: 9)))
        let made = ImageRequest(id: "x", image: { try Self.image(3, 2) })
        fixture.decoder.hold()
        let first = fixture.pipeline.imageTask(with: bytes)
        #expect(try await fixture.pipeline.image(for: made).size.width == 3)
        fixture.decoder.release()
        #expect(try await first.image.size.width == 9)
    }

    @Test func `A request that may only use caches does not run its closure`() async {
        let fixture = PipelineFixture()
        let calls = Counter()
        let request = ImageRequest(
            id: "x", options: .returnCacheDataDontLoad,
            image: {
                calls.add()
                return try Self.image(3, 2)
            })
        await #expect(throws: ImageLoadingError.self) { try await fixture.pipeline.image(for: request) }
        #expect(calls.count == 0)
    }
}
