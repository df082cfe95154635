import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import Testing

/// Small conveniences of requests, tasks, caches and configurations.
@Suite(.timeLimit(.minutes(5))) struct NamesTests {
    @Test func `Tasks have numbers of their own, which stay`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: url)
        // The second and third are hits of the memory cache.
        let tasks = (0..<3).map { _ in fixture.pipeline.imageTask(with: url) }
        let numbers = tasks.map(\.id)
        #expect(Set(numbers).count == 3)
        #expect(!numbers.contains(0))
        #expect(tasks.map(\.id) == numbers)
    }

    @Test func `A number is the same for threads that ask at once`() async {
        let fixture = PipelineFixture()
        let task = fixture.pipeline.imageTask(with: "https://example.org/a")
        let numbers = await withTaskGroup(of: Int64.self) { group in
            for _ in 0..<50 { group.addTask { task.id } }
            return await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        #expect(numbers.count == 1)
        task.cancel()
    }

    @Test func `A task that was cancelled says so; one that failed is not cancelled`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let task = fixture.pipeline.imageTask(with: url)
        #expect(!task.isCancelled)
        task.cancel()
        #expect(task.isCancelled)
        let failing = fixture.pipeline.imageTask(with: "https://example.org/missing")
        _ = try? await failing.response
        #expect(!failing.isCancelled)
        #expect(failing.state == .completed)
    }

    @Test func `A request can be written as its address, and gives it back`() {
        let request: ImageRequest = "https://example.org/a"
        #expect(request.url == URL(string: "https://example.org/a"))
        #expect(ImageRequest(id: "a", data: Data()).url == nil)
        #expect(ImageRequest(url: nil as URL?).url?.scheme == nil)
    }

    @Test func `The pipeline's memory cache is read and written by address`() throws {
        let fixture = PipelineFixture(memory: true)
        let url = try #require(URL(string: "https://example.org/a"))
        let container = ImageContainer(image: try Bitmap(size: PipelineFixture.size) { _ in })
        fixture.pipeline.cache[url] = container
        #expect(fixture.pipeline.cache[url]?.image.size == PipelineFixture.size)
        let cache = try #require(fixture.pipeline.configuration.imageCache)
        #expect(cache[ImageCacheKey(request: ImageRequest(url: url))] != nil)
        fixture.pipeline.cache[url] = nil
        #expect(fixture.pipeline.cache[url] == nil)
    }

    @Test func `The memory cache keeps the values that a processor attaches`() async throws {
        struct Tagging: ImageProcessing {
            let identifier = "tagging"
            func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
                var container = container
                container.userInfo["faces"] = 2
                return container
            }
        }
        let fixture = PipelineFixture(memory: true)
        let request = ImageRequest(url: fixture.image("a"), processors: [Tagging()])
        for _ in 0..<2 {
            let response = try await fixture.pipeline.imageTask(with: request).response
            #expect(response.container.userInfo["faces"] as? Int == 2)
        }
        var container = ImageContainer(image: try Bitmap(size: PipelineFixture.size) { _ in }, data: Data(count: 7))
        let cost = container.cost
        container.userInfo["a"] = 1
        #expect(container.data?.count == 7)
        #expect(container.cost == cost)
        container.data = nil
        #expect(container.userInfo["a"] as? Int == 1)
        #expect(container.cost == cost - 7)
        container.userInfo = [:]
        #expect(container.data == nil && container.userInfo.isEmpty)
    }

    @Test func `The configuration's closure receives the request and chooses the decoder`() async throws {
        let asked = Locked<[String]>([])
        let decoder = ScriptedDecoder()
        let fixture = PipelineFixture {
            $0.decoders = []
            $0.makeImageDecoder = { context in
                asked.withLock { $0.append(context.request.description) }
                return context.request.description.hasSuffix("a") ? decoder : nil
            }
        }
        let (url, other) = (fixture.image("a"), fixture.image("b"))
        #expect(try await fixture.pipeline.image(for: url).size == PipelineFixture.size)
        await #expect(throws: ImageLoadingError.self) { try await fixture.pipeline.image(for: other) }
        #expect(Set(asked.withLock { $0 }) == [url, other])
    }

    @Test func `Without a closure the configuration's own decoders and encoder are chosen`() {
        let fixture = PipelineFixture()
        let configuration = fixture.pipeline.configuration
        let data = ScriptedDecoder.image(PipelineFixture.size)
        let context = ImageDecodingContext(request: "https://example.org/a", data: data)
        #expect(configuration.makeImageDecoder(context) is ScriptedDecoder)
        let other = ImageDecodingContext(request: "https://example.org/a", data: Data("?".utf8))
        #expect(configuration.makeImageDecoder(other) == nil)
    }

    @Test func `A delegate without a choice of its own uses the configuration's closure`() async throws {
        final class Silent: ImagePipeline.Delegate {}
        let decoder = ScriptedDecoder()
        let fixture = PipelineFixture(delegate: Silent()) {
            $0.decoders = []
            $0.makeImageDecoder = { _ in decoder }
        }
        #expect(try await fixture.pipeline.image(for: fixture.image("a")).size == PipelineFixture.size)
    }
}
