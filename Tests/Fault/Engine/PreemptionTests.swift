import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite("Urgent transfers before others, over real sockets", .timeLimit(.minutes(5)))
struct PreemptionTests {
    @Test func `A half-loaded prefetched image gives its slot to a visible one, and no byte is loaded twice`()
        async throws
    {
        let server = try ScriptedServer()
        let size = PixelSize(width: 40, height: 30)
        let large = ScriptedProgressiveDecoder.image(size, bytes: 2 << 20)
        let small = ScriptedProgressiveDecoder.image(size, bytes: 30_000)
        let gate = Gate()
        // The length is unknown, so the engine cannot find that the transfer is nearly done.
        server.respond(to: "/low", with: .file(ServedFile(large, gates: [1 << 20: gate], isLengthTold: false)))
        server.respond(to: "/high", with: .file(ServedFile(small)))
        let decoder = ScriptedProgressiveDecoder()
        var configuration = ImagePipeline.Configuration(
            dataLoader: DataLoader(configuration: LoaderRig.patient), decoders: [decoder])
        configuration.scheduling.transferLimit = 1
        let pipeline = ImagePipeline(configuration: configuration)

        let low = pipeline.imageTask(with: ImageRequest(url: server.url("/low"), priority: .low))
        for await progress in low.progress where progress.completed >= 1 << 20 { break }
        let high = try await pipeline.image(for: ImageRequest(url: server.url("/high"), priority: .veryHigh))
        #expect(high.size == size && low.state == .running)
        #expect(pipeline.statistics.transfersPaused == 1)
        gate.open()
        #expect(try await low.image.size == size)

        // The decoder checks the bytes: it took all bytes of an image in one session.
        #expect(decoder.decodes.calls.sorted() == [30_000, 2 << 20] && decoder.sessions.count == 2)
        let statistics = pipeline.statistics
        #expect(statistics.transfersResumed == 1 && statistics.bytesWasted == 0)
        #expect(statistics.bytesLoaded == (2 << 20) + 30_000)
        // On a busy machine, the pause may last until the connection is closed: then there is a range request.
        let requests = server.requests.calls.filter { $0.path == "/low" }
        #expect(requests.first?.headers["Range"] == nil && requests.first?.headers["Priority"] == "u=5")
        #expect(requests.dropFirst().allSatisfy { $0.headers["Range"] != nil })
    }
}
