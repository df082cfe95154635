import FirnCache
import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests responses behind redirects that are stored on disk and used by another process: over real connections, with a
/// clock set by hand.
@Suite(.timeLimit(.minutes(5))) struct RedirectCachingTests {
    private struct Rig {
        let server: ScriptedServer
        let files = InMemoryFileSystem()
        let seconds = Locked<Int64>(1_795_219_200)

        init() throws { server = try ScriptedServer() }

        /// Returns a pipeline like that of a new process.
        func pipeline(_ change: (inout DataLoader.Configuration) -> Void = { _ in }) -> ImagePipeline {
            var loader = DataLoader.Configuration()
            loader.idleTimeout = .seconds(300)
            change(&loader)
            var configuration = ImagePipeline.Configuration(
                dataLoader: DataLoader(configuration: loader), decoders: [ScriptedDecoder()])
            let seconds = seconds
            let now: @Sendable () -> Duration = { .seconds(seconds.withLock { $0 }) }
            configuration.httpCachePolicy = HTTPCachePolicy.images
            configuration.now = now
            configuration.dataCache = DataCache(directory: "/c", fileSystem: files, now: now)
            return ImagePipeline(configuration: configuration)
        }

        /// Returns the width of the image as a new process loads it.
        func width(_ path: String = "/r", _ change: (inout DataLoader.Configuration) -> Void = { _ in }) async throws
            -> Int
        {
            let pipeline = pipeline(change)
            let image = try await pipeline.image(for: server.url(path))
            await pipeline.flush()
            return image.size.width
        }

        var paths: [String] { server.requests.calls.map(\.path) }
    }

    private static let forever = "max-age=31536000, immutable"

    private func image(_ width: Int, _ headers: HTTPHeaderFields) -> ScriptedResponse {
        .body(ScriptedDecoder.image(PixelSize(width: width, height: 30)), headers: headers)
    }

    private func redirect(to path: String, _ control: String?, status: Int = 302) -> ScriptedResponse {
        var response = ScriptedResponse.redirect(to: path, status: status)
        response.headers["Cache-Control"] = control
        return response
    }

    @Test(arguments: ["no-store", "no-cache", nil])
    func `A redirect that must be revalidated is requested again, though the image is fresh for a year`(
        control: String?
    )
        async throws
    {
        let rig = try Rig()
        rig.server.respond(to: "/r", with: redirect(to: "/a", control), redirect(to: "/b", control))
        rig.server.respond(to: "/a", with: image(10, ["Cache-Control": Self.forever]))
        rig.server.respond(to: "/b", with: image(20, ["Cache-Control": Self.forever]))
        #expect(try await rig.width() == 10)
        #expect(try await rig.width() == 20)
        #expect(rig.paths == ["/r", "/a", "/r", "/b"])
    }

    @Test func `A redirect that leads to the same fresh image costs one request`() async throws {
        let rig = try Rig()
        rig.server.respond(to: "/r", with: redirect(to: "/a", "no-store"))
        rig.server.respond(to: "/a", with: image(10, ["Cache-Control": Self.forever]))
        for _ in 0..<3 { #expect(try await rig.width() == 10) }
        #expect(rig.paths == ["/r", "/a", "/r", "/r"])
        rig.seconds.withLock { $0 += 31_536_000 }
        #expect(try await rig.width() == 10)
        #expect(rig.paths.suffix(2) == ["/r", "/a"])
    }

    @Test func `A fresh redirect is not requested, even after a restart`()
        async throws
    {
        let rig = try Rig()
        rig.server.respond(to: "/r", with: redirect(to: "/a", "max-age=60"), redirect(to: "/b", "max-age=60"))
        rig.server.respond(to: "/a", with: image(10, ["Cache-Control": Self.forever]))
        rig.server.respond(to: "/b", with: image(20, ["Cache-Control": Self.forever]))
        #expect(try await rig.width() == 10)
        rig.seconds.withLock { $0 += 59 }
        #expect(try await rig.width() == 10)
        #expect(rig.paths == ["/r", "/a"])
        rig.seconds.withLock { $0 += 1 }
        #expect(try await rig.width() == 20)
    }

    @Test func `The memory cache respects a redirect's lifetime`() async throws {
        let rig = try Rig()
        rig.server.respond(to: "/r", with: redirect(to: "/a", "no-store"), redirect(to: "/b", "no-store"))
        rig.server.respond(to: "/a", with: image(10, ["Cache-Control": Self.forever]))
        rig.server.respond(to: "/b", with: image(20, ["Cache-Control": Self.forever]))
        let pipeline = rig.pipeline()
        #expect(try await pipeline.image(for: rig.server.url("/r")).size.width == 10)
        #expect(try await pipeline.image(for: rig.server.url("/r")).size.width == 20)
    }

    /// Returns an image with an entity tag that the server confirms.
    private func tagged(_ width: Int) -> [ScriptedResponse] {
        [image(width, ["Cache-Control": "max-age=0", "ETag": "\"1\""])]
    }

    @Test func `The validators of one address are not sent to another`() async throws {
        let rig = try Rig()
        rig.server.respond(to: "/r", with: redirect(to: "/a", "no-store"), redirect(to: "/b", "no-store"))
        rig.server.respond(to: "/a", with: tagged(10))
        rig.server.respond(to: "/b", with: tagged(20))
        #expect(try await rig.width() == 10)
        #expect(try await rig.width() == 20)
        #expect(rig.server.requests.calls.allSatisfy { $0.headers["If-None-Match"] == nil })
    }

    @Test func `Validators are sent to the address that sent them, however the redirects lead there`() async throws {
        let rig = try Rig()
        rig.server.respond(
            to: "/r", with: redirect(to: "/a", "no-store"), redirect(to: "/between", nil), redirect(to: "/a", nil))
        rig.server.respond(to: "/between", with: redirect(to: "/a", "no-store", status: 307))
        var confirmation = ScriptedResponse.status(304, "Not Modified")
        confirmation.headers = ["ETag": "\"1\"", "Cache-Control": "max-age=0"]
        rig.server.respond(to: "/a", with: tagged(10) + [confirmation])
        for _ in 0..<3 { #expect(try await rig.width() == 10) }
        #expect(rig.paths == ["/r", "/a", "/r", "/between", "/a", "/r", "/a"])
        let asked = rig.server.requests.calls.map { $0.headers["If-None-Match"] }
        #expect(asked == [nil, nil, nil, nil, "\"1\"", nil, "\"1\""])
    }

    @Test func `An address that redirects from now on is not sent its own validators' response from elsewhere`()
        async throws
    {
        let rig = try Rig()
        rig.server.respond(to: "/r", with: tagged(10) + [redirect(to: "/b", nil)])
        rig.server.respond(to: "/b", with: tagged(20))
        #expect(try await rig.width() == 10)
        #expect(try await rig.width() == 20)
        #expect(rig.server.requests.calls.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", nil])
    }

    @Test func `Header fields of the loader's configuration distinguish users who share a folder`() async throws {
        let rig = try Rig()
        let control: HTTPHeaderFields = ["Cache-Control": "max-age=600", "Vary": "Authorization, X-User"]
        rig.server.respond(to: "/r", with: image(10, control), image(20, control), image(30, control))
        let users = (0..<2).map { number in
            { @Sendable (configuration: inout DataLoader.Configuration) in
                configuration.headers.append("Authorization", "Bearer secret-\(number)")
            }
        }
        #expect(try await rig.width("/r", users[0]) == 10)
        #expect(try await rig.width("/r", users[0]) == 10)
        #expect(try await rig.width("/r", users[1]) == 20)
        #expect(try await rig.width("/r", users[1]) == 20)
        #expect(try await rig.width("/r") == 30)
        #expect(rig.paths.count == 3)
        // No credentials of a user are written to the folder.
        #expect(rig.files.files.values.allSatisfy { !String(decoding: $0, as: UTF8.self).contains("secret-") })
    }
}
