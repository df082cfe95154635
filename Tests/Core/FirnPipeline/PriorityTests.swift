import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct PriorityTests {
    /// Returns a pipeline with one transfer at a time, so that the order of starts is visible.
    private func fixture() -> PipelineFixture { PipelineFixture { $0.scheduling.transferLimit = 1 } }

    private func blocked(_ fixture: PipelineFixture) async -> (ImageTask, String) {
        let url = fixture.image("blocker")
        fixture.loader.hold(url)
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: url, priority: .veryHigh))
        _ = await fixture.loader.waitForRequest(url)
        return (task, url)
    }

    private func order(_ fixture: PipelineFixture) -> [String] {
        fixture.loader.requests.calls.dropFirst().map { String($0.url.suffix(1)) }
    }

    @Test func `The highest priority starts first; equal priorities keep their order`() async throws {
        let fixture = fixture()
        let (_, blocker) = await blocked(fixture)
        let priorities: [(String, ImageRequest.Priority)] = [
            ("a", .low), ("b", .normal), ("c", .veryHigh), ("d", .normal), ("e", .high), ("f", .veryLow),
        ]
        let tasks = priorities.map { name, priority in
            fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image(name), priority: priority))
        }
        fixture.loader.release(blocker)
        for task in tasks { _ = try await task.response }
        #expect(order(fixture) == ["c", "e", "b", "d", "a", "f"])
    }

    @Test func `A change counts until the work starts`() async throws {
        let fixture = fixture()
        let (_, blocker) = await blocked(fixture)
        let tasks = ["a", "b", "c"].map {
            fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image($0)))
        }
        tasks[2].priority = .veryHigh
        tasks[0].priority = .veryLow
        fixture.loader.release(blocker)
        for task in tasks { _ = try await task.response }
        #expect(order(fixture) == ["c", "b", "a"])
    }

    @Test func `A job takes the highest priority of its waiting tasks, and loses it when they leave`() async throws {
        let fixture = fixture()
        let (_, blocker) = await blocked(fixture)
        let shared = fixture.image("s")
        let low = fixture.pipeline.imageTask(with: ImageRequest(url: shared, priority: .veryLow))
        let other = fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("o")))
        let joined = fixture.pipeline.imageTask(with: ImageRequest(url: shared, priority: .veryHigh))
        let brief = fixture.pipeline.imageTask(
            with: ImageRequest(url: fixture.image("b"), priority: .veryLow))
        let left = fixture.pipeline.imageTask(
            with: ImageRequest(url: fixture.image("b"), priority: .veryHigh))
        left.cancel()
        fixture.loader.release(blocker)
        for task in [low, other, joined, brief] { _ = try await task.response }
        #expect(order(fixture) == ["s", "o", "b"])
    }

    @Test func `No more transfers than allowed are under way`() async throws {
        let fixture = PipelineFixture { $0.scheduling.transferLimit = 3 }
        let urls = (0..<20).map { fixture.image("\($0)") }
        for url in urls { fixture.loader.hold(url) }
        let tasks = urls.map { fixture.pipeline.imageTask(with: ImageRequest(url: $0)) }
        for url in urls {
            _ = await fixture.loader.waitForRequest(url)
            fixture.loader.release(url)
        }
        for task in tasks { _ = try await task.response }
        #expect(fixture.loader.requests.record.peak <= 3)
    }

    @Test func `Decodes wait for memory and all of them end`() async throws {
        let decoder = ScriptedDecoder(bytesPerDecode: 10 << 20)
        let fixture = PipelineFixture(decoder: decoder) { configuration in
            configuration.scheduling.decodingMemoryLimit = 15 << 20
            configuration.scheduling.computingLimit = 4
        }
        let tasks = (0..<30).map { fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("\($0)"))) }
        for task in tasks { _ = try await task.response }
        #expect(decoder.decodes.record.peak == 1)
        #expect(decoder.decodes.count == 30)
    }
}
