import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite("Images given up and asked for again, over real sockets", .timeLimit(.minutes(5)))
struct GivenUpTests {
    private let size = PixelSize(width: 40, height: 30)
    private let half = 200_000

    private func data(_ length: Int = 400_000) -> Data { ScriptedProgressiveDecoder.image(size, bytes: length) }

    /// Returns a pipeline with an image that was cancelled half way.
    private func givenUp(_ server: ScriptedServer, then next: ScriptedResponse) async throws -> ImagePipeline {
        let gated = ServedFile(data(), gates: [half: Gate()])
        server.respond(to: "/x", with: [.file(gated), next])
        let configuration = ImagePipeline.Configuration(
            dataLoader: DataLoader(), decoders: [ScriptedProgressiveDecoder()])
        let pipeline = ImagePipeline(configuration: configuration)
        let task = pipeline.imageTask(with: server.url("/x"))
        for await progress in task.progress where progress.completed >= half { break }
        task.cancel()
        return pipeline
    }

    @Test func `The rest is loaded by a range, and no byte twice`() async throws {
        let server = try ScriptedServer()
        let pipeline = try await givenUp(server, then: .file(ServedFile(data())))
        #expect(try await pipeline.image(for: server.url("/x")).size == size)
        let requests = server.requests.calls
        #expect(requests.map { $0.headers["Range"] } == [nil, "bytes=\(half)-"])
        #expect(requests.last?.headers["If-Range"] == "\"v1\"")
        let statistics = pipeline.statistics
        #expect(statistics.bytesResumed == half && statistics.bytesWasted == 0)
        #expect(statistics.bytesLoaded == data().count)
    }

    @Test func `A changed image is loaded completely`() async throws {
        let server = try ScriptedServer()
        let pipeline = try await givenUp(server, then: .file(ServedFile(data(300_000), tag: "\"v2\"")))
        #expect(try await pipeline.image(for: server.url("/x")).size == size)
        #expect(server.requests.calls.map { $0.headers["Range"] } == [nil, "bytes=\(half)-"])
        #expect(pipeline.statistics.bytesWasted == half && pipeline.statistics.bytesLoaded == 300_000)
    }
}
