import FirnCache
import FirnImage
import FirnPipeline
import FirnTesting
import Testing

/// Tests decodes that share a memory budget.
// The tests run one after another because a blocked decoder keeps its threads busy.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DecodingMemoryTests {
    private static let bytes = 3 << 20

    private func fixture(_ budget: MemoryBudget, memory: Bool = false) -> PipelineFixture {
        PipelineFixture(decoder: ScriptedDecoder(bytesPerDecode: DecodingMemoryTests.bytes)) {
            $0.memoryBudget = budget
            $0.scheduling.computingLimit = 4
            if memory { $0.imageCache = ImageCache(limits: ImageCacheLimits(entryBytes: 100 << 20), budget: budget) }
        }
    }

    @Test func `The budget knows what decodes hold, until they end`() async throws {
        let budget = MemoryBudget(total: 100 << 20)
        let fixture = fixture(budget)
        fixture.decoder.hold()
        let tasks = (0..<3).map { fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("\($0)"))) }
        await fixture.decoder.decodes.wait { $0.active == 3 }
        #expect(budget.usage.decoding == 3 * DecodingMemoryTests.bytes)
        tasks[0].cancel()
        await fixture.decoder.decodes.wait { $0.cancelled.count == 1 }
        fixture.decoder.release()
        for task in tasks.dropFirst() { _ = try await task.image }
        try await idle(budget)
        #expect(budget.usage.decoding == 0)
    }

    @Test(arguments: [(8, 1), (13, 2), (19, 3)])
    func `Decodes beyond half of the budget wait`(total: Int, peak: Int) async throws {
        let fixture = fixture(MemoryBudget(total: total << 20))
        fixture.decoder.hold()
        let tasks = (0..<8).map { fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("\($0)"))) }
        await fixture.decoder.decodes.wait { $0.active == peak }
        fixture.decoder.release()
        for task in tasks { _ = try await task.image }
        #expect(fixture.decoder.decodes.record.peak == peak)
    }

    @Test func `Decodes that wait begin once memory is no longer short, though none has ended`() async throws {
        let budget = MemoryBudget(total: 40 << 20)
        budget.share = 0.2
        let fixture = fixture(budget)
        fixture.decoder.hold()
        let tasks = (0..<3).map { fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("\($0)"))) }
        await fixture.decoder.sessions.wait { $0.calls.count == 3 }
        await fixture.decoder.decodes.wait { $0.active == 1 }
        budget.share = 1
        await fixture.decoder.decodes.wait { $0.active == 3 }
        fixture.decoder.release()
        for task in tasks { _ = try await task.image }
    }

    @Test func `A decode has the memory cache let go of images`() async throws {
        let budget = MemoryBudget(total: 8 << 20)
        let fixture = fixture(budget, memory: true)
        let cache = try #require(fixture.pipeline.configuration.imageCache)
        for number in 0..<4 {
            let image = try Bitmap(size: PixelSize(width: 1024, height: 512)) { _ in }
            cache[ImageCacheKey("\(number)")] = ImageContainer(image: image)
        }
        #expect(budget.usage.kept == 8 << 20)
        fixture.decoder.hold()
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("last")))
        await fixture.decoder.decodes.wait { $0.active == 1 }
        #expect(budget.usage.decoding == 3 << 20)
        #expect(budget.usage.kept == 4 << 20)
        #expect(cache["1"] == nil && cache["2"] != nil)
        fixture.decoder.release()
        _ = try await task.image
    }

    @Test func `While images that are shown take the budget, decodes run one by one`() async throws {
        let budget = MemoryBudget(total: 8 << 20)
        let fixture = fixture(budget, memory: true)
        var screen: [Bitmap] = []
        for number in 0..<3 {
            let url = fixture.image("\(number)", size: PixelSize(width: 1024, height: 512))
            screen.append(try await fixture.pipeline.image(for: url))
        }
        let peak = fixture.decoder.decodes.record.peak
        #expect(peak == 1)
        let tasks = (3..<9).map { fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("\($0)"))) }
        for task in tasks { _ = try await task.image }
        #expect(fixture.decoder.decodes.record.peak == 1)
        for number in 0..<3 {
            #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: "https://example.org/\(number)")) != nil)
        }
        withExtendedLifetime(screen) {}
    }

    @Test func `Cancelled decodes return their bytes to the budget`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let budget = MemoryBudget(total: 16 << 20)
        let fixture = fixture(budget, memory: true)
        for round in 0..<40 {
            let tasks = (0..<12).map { number in
                fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("\(round).\(number)")))
            }
            for task in tasks where Bool.random(using: &random) { task.cancel() }
            for task in tasks { _ = try? await task.image }
        }
        try await idle(budget)
        #expect(budget.usage.decoding == 0, "seed \(seed)")
    }

    /// Waits until the budget is free, because tasks end before the worker has updated the budget.
    private func idle(_ budget: MemoryBudget) async throws {
        try await eventually { budget.usage.decoding == 0 }
    }
}
