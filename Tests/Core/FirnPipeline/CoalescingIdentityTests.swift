import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests which differences make two requests of one address separate work while both are in flight.
@Suite(.timeLimit(.minutes(5))) struct CoalescingIdentityTests {
    private let url = "https://example.org/a"

    @Test func `Requests of one address with other header fields or methods share no transfer in flight (F20)`()
        async throws
    {
        let fixture = PipelineFixture(memory: true)
        fixture.loader.respondByHand(to: url)
        let variants = [
            DataRequest(url: url), DataRequest(url: url, headers: ["Authorization": "one"]),
            DataRequest(url: url, headers: ["Authorization": "two"]),
            DataRequest(url: url, headers: ["Accept": "image/webp"]), DataRequest(url: url, method: "POST"),
        ]
        // Each variant twice: equal requests share their work.
        let tasks = (variants + variants).map { fixture.pipeline.imageTask(with: ImageRequest(dataRequest: $0)) }
        for number in 1...variants.count {
            let transfer = await fixture.loader.waitForRequest(url, number: number)
            let variant = try #require(
                variants.firstIndex {
                    $0.headers == transfer.request.headers && $0.method == transfer.request.method
                })
            transfer.respond()
            transfer.send(ScriptedDecoder.image(PixelSize(width: 10 + variant, height: 10)))
            transfer.finish()
        }
        for (number, task) in tasks.enumerated() {
            #expect(try await task.image.size.width == 10 + number % variants.count)
        }
        #expect(fixture.loader.transfers(url).count == variants.count)
        #expect(fixture.pipeline.statistics.coalesced == variants.count)
        // Their results stay separate, too.
        for (number, variant) in variants.enumerated() {
            #expect(
                fixture.pipeline.cachedImage(for: ImageRequest(dataRequest: variant))?.size.width == 10 + number)
        }
    }

    @Test(arguments: [false, true])
    func `The options of each request hold though they meet in flight (F20)`(isPlainFirst: Bool) async throws {
        let disk = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
        let fixture = PipelineFixture(memory: true) { $0.dataCache = disk }
        let plain = ImageRequest(url: fixture.image("kept"))
        let bare = ImageRequest(url: fixture.image("bare"), options: .disableCaches)
        var leaving = plain
        leaving.options = .disableCaches
        for request in [plain, bare] { fixture.loader.hold(request.description) }
        let requests = isPlainFirst ? [plain, leaving, bare, bare] : [bare, bare, leaving, plain]
        let tasks = requests.map { fixture.pipeline.imageTask(with: $0) }
        for request in [plain, bare] {
            _ = await fixture.loader.waitForRequest(request.description)
            fixture.loader.release(request.description)
        }
        for task in tasks { _ = try await task.response }
        await fixture.pipeline.flush()
        // A request that stores nothing takes nothing from one that does, and vice versa.
        #expect(fixture.pipeline.cachedImage(for: plain) != nil)
        #expect(try disk.entries().map(\.key) == [plain.description])
        #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: bare.description)) == nil)
    }
}
