#if GTK
import Firn
import FirnTesting
import FoundationEssentials
import Testing

@testable import firn_gallery

/// Tests the built gallery with images of a server.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct GalleryNetworkTests {
    /// Two frames of one pixel.
    private static let moving: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 200, 60, 60, 0, 0, 0]
        + (0..<2).flatMap { _ in
            [0x21, 0xF9, 4, 0, 5, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0] as [UInt8]
        } + [0x3B]

    @Test func `An image that failed is tried again by a key`() async throws {
        let server = try ScriptedServer()
        server.respond(to: "/a.gif", with: .status(500, "Broken"), .body(Data(GalleryNetworkTests.moving)))
        let outcome = try await open([server.url("/a.gif"), "--keys", "r"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains("\"right\":1,"), "\(outcome.output)")
        #expect(outcome.output.contains("\"failed\":0,"), "\(outcome.output)")
        #expect(server.requests.count == 2)
    }

    @Test func `A failure is marked, and described beside the large image`() async throws {
        let server = try ScriptedServer()
        server.respond(to: "/a.gif", with: .status(500, "Broken"))
        let outcome = try await open([server.url("/a.gif")])
        #expect(outcome.output.contains("\"failed\":1,"), "\(outcome.output)")
    }

    @Test func `A refused connection, an unknown host and a cut connection have reasons of their own`() async throws {
        let server = try ScriptedServer()
        let part = ScriptedResponse.steps(
            [.bytes(Data(GalleryNetworkTests.moving.prefix(20))), .cut], framing: .statedLength(90))
        server.respond(to: "/a.gif", with: part)
        var reasons: Set<String> = []
        for address in [server.url("/a.gif"), "http://127.0.0.1:1/a.gif", "http://host.invalid/a.gif"] {
            do {
                _ = try await ImagePipeline(configuration: .ephemeral).image(for: ImageRequest(url: address))
            } catch {
                reasons.insert(FailureText.line(error))
            }
        }
        #expect(reasons == ["The connection was cut", "The server refused the connection", "Unknown host"])
    }

    @Test func `Properties and frames of an animation come from the loaded bytes`() async throws {
        let server = try ScriptedServer()
        server.respond(to: "/a.gif", with: .body(Data(GalleryNetworkTests.moving)))
        let outcome = try await open([server.url("/a.gif"), "--view"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains("2 frames"), "\(outcome.output)")
        #expect(server.requests.count == 1)
    }

    @Test func `The panel of an image that must not be stored does not load it again`() async throws {
        let server = try ScriptedServer()
        let headers: HTTPHeaderFields = ["Cache-Control": "no-store"]
        server.respond(
            to: "/a.gif", with: .body(Data(GalleryNetworkTests.moving.prefix(42) + [0x3B]), headers: headers))
        let outcome = try await open([server.url("/a.gif"), "--view", "--keys", "i"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains("Size\\n1 × 1"), "\(outcome.output)")
        // The cell and the large image.
        #expect(server.requests.count <= 2)
    }

    @Test func `The keys go through images, zoom and back to the grid`() async throws {
        let server = try ScriptedServer()
        for name in ["/a.gif", "/b.gif"] { server.respond(to: name, with: .body(Data(GalleryNetworkTests.moving))) }
        let keys = "Right,plus,minus,1,0,i,Home,End"
        let large = try await open([server.url("/a.gif"), server.url("/b.gif"), "--view", "--keys", keys])
        #expect(large.output.contains("\"line\":\"b.gif   2 of 2   1 × 1"), "\(large.output)")
        let small = try await open(
            [server.url("/a.gif"), server.url("/b.gif"), "--view", "--keys", "Escape,Control+d"])
        #expect(small.output.contains("\"line\":\"\""), "\(small.output)")
        #expect(small.output.contains("\"right\":2,"), "\(small.output)")
    }

    private func open(_ arguments: [String]) async throws -> ScenePlayer.Outcome {
        let scratch = try TestFolder()
        defer { withExtendedLifetime(scratch) {} }
        let cache = scratch.path
        return try await OwnThread.run {
            let display = try DisplayServer()
            defer { withExtendedLifetime(display) {} }
            return try ScenePlayer.run(
                "firn-gallery", ["--headless-open", "--cache", cache] + arguments, on: display)
        }
    }
}
#endif
