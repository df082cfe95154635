import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

/// Tests bodies that no decoder recognizes.
@Suite(.timeLimit(.minutes(5))) struct `Content that cannot be an image` {
    private let server: ScriptedServer
    private static let garbage = Data(repeating: 0x72, count: 16 << 10)

    init() throws { server = try ScriptedServer() }

    private func pipeline(
        _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> ImagePipeline {
        var settings = DataLoader.Configuration()
        settings.connectTimeout = .seconds(300)
        settings.idleTimeout = .seconds(300)
        settings.limits.maximumBytes = 4 << 20
        var configuration = ImagePipeline.Configuration(
            dataLoader: DataLoader(configuration: settings), decoders: [ScriptedDecoder()])
        change(&configuration)
        return ImagePipeline(configuration: configuration)
    }

    private func fault(of load: () async throws(ImageLoadingError) -> Void) async -> ImageLoadingError.Fault? {
        do throws(ImageLoadingError) {
            try await load()
            return nil
        } catch { return error.fault }
    }

    @Test func `An endless body ends its transfer after 64 KiB`() async throws {
        server.respond(to: "/x", with: .steps([.endless(Self.garbage)], framing: .untilClose))
        let pipeline = pipeline()
        let url = server.url("/x")
        await #expect(throws: ImageLoadingError.self) { try await pipeline.image(for: url) }
        do throws(ImageLoadingError) {
            _ = try await pipeline.image(for: url)
        } catch {
            #expect(error.fault == .data && error.message.contains("starts with 72 72 72 72"), "\(error)")
        }
        await server.requests.wait { $0.cancelled.map(\.path) == ["/x", "/x"] }
        // The server also sends the bytes that the system buffers.
        #expect(server.bytesSent < 2 * 24 << 20)
        #expect(pipeline.statistics.bytesLoaded < 1 << 20)
    }

    @Test func `A request for bytes gets them`() async throws {
        let body = Data((0..<20).flatMap { _ in Self.garbage })
        server.respond(to: "/x", with: .body(body))
        let pipeline = pipeline()
        let request = ImageRequest(url: server.url("/x"))
        let data = try await pipeline.data(for: request).0
        #expect(data == body)
        // With both at once, the transfer continues for one of them, and its end ends the other.
        let gate = Gate()
        server.respond(to: "/y", with: .steps([.bytes(body), .hold(gate), .bytes(body)]))
        let both = ImageRequest(url: server.url("/y"))
        async let bytes = pipeline.data(for: both).0
        try await eventually { server.bytesSent > 2 * body.count }
        async let end = fault { () async throws(ImageLoadingError) in _ = try await pipeline.image(for: both) }
        gate.open()
        #expect(try await bytes.count == 2 * body.count)
        #expect(await end == .data)
    }

    @Test func `The limit can be changed and disabled`() async throws {
        server.respond(to: "/x", with: .steps([.endless(Self.garbage)], framing: .untilClose))
        let url = server.url("/x")
        let off = pipeline { $0.unknownContentLimit = 0 }
        #expect(await fault { () async throws(ImageLoadingError) in _ = try await off.image(for: url) } == .limit)
        let late = pipeline { $0.unknownContentLimit = 2 << 20 }
        #expect(await fault { () async throws(ImageLoadingError) in _ = try await late.image(for: url) } == .data)
    }
}
