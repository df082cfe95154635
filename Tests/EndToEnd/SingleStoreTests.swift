import FirnData
import FirnTesting
import FoundationEssentials
import Testing

/// Tests that bytes from HTTP are stored in one place only: below the data cache, and in no cache of an HTTP client.
@Suite(.timeLimit(.minutes(5))) final class SingleStoreTests: ServedCommandSuite {
    /// The places where libraries store caches of their own.
    private static let homes =
        "export HOME=$PWD/home XDG_CACHE_HOME=$PWD/home/cache TMPDIR=$PWD/tmp; mkdir -p home tmp"

    private func load(_ arguments: String...) throws {
        let run = try firn.run(["load", server.url("/a.png")] + arguments, in: scratch, shell: Self.homes)
        #expect(run.status == 0, "\(run.errors)")
    }

    /// Returns the files that contain the end of a body.
    private func copies(of body: Data) -> [String] {
        let end = Data(body.suffix(64))
        return scratch.files().filter { (try? scratch.data($0))?.firstRange(of: end) != nil }
    }

    @Test func `A loaded body is on disk once, and is requested again after its removal (F14)`() throws {
        let body = try Images.png(120, 90)
        // Every cache may store this response.
        server.respond(to: "/a.png", with: .body(body, headers: ["Cache-Control": "max-age=86400", "ETag": "\"v1\""]))
        try load("--cache", "cache")
        let kept = copies(of: body)
        #expect(kept.count == 1 && kept.allSatisfy { $0.hasPrefix("cache/") }, "\(kept)")
        try load("--cache", "cache")
        #expect(server.requests.count == 1)

        #expect(try firn.run(["cache", "clear", "cache"], in: scratch).status == 0)
        #expect(copies(of: body).isEmpty)
        try load("--cache", "cache")
        #expect(server.requests.count == 2)
        #expect(server.requests.calls.last?.headers["If-None-Match"] == nil)
        #expect(copies(of: body).count == 1)
    }

    @Test func `Without a data cache every load contacts the server, and nothing is written (F14)`() throws {
        let body = try Images.png(120, 90)
        server.respond(to: "/a.png", with: .body(body, headers: ["Cache-Control": "max-age=86400", "ETag": "\"v1\""]))
        for count in 1...2 {
            try load("--no-cache")
            #expect(server.requests.count == count)
        }
        #expect(server.requests.calls.allSatisfy { $0.headers["If-None-Match"] == nil })
        #expect(copies(of: body).isEmpty)
    }
}
