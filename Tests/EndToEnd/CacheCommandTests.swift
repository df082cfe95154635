import Firn
import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

/// Tests `firn cache` with every kind of file that a cache folder may have.
@Suite(.timeLimit(.minutes(5))) final class CacheCommandTests: ServedCommandSuite {
    /// Fills a folder with two originals, their two bitmaps, and three parts of two bodies.
    private func fill(_ name: String = "cache") async throws {
        for name in ["/a.png", "/b.png"] { server.respond(to: name, with: .body(try Images.png(40, 30))) }
        let folder = scratch.path(name)
        let pipeline = ImagePipeline {
            $0.dataCache = .disk(path: folder)
            $0.bitmapStore = .disk(path: folder)
        }
        for name in ["/a.png", "/b.png"] { _ = try await pipeline.image(for: ImageRequest(url: server.url(name))) }
        await pipeline.flush()
        let parts = DataCache(directory: "\(folder)/partial", limits: .partialBodies)
        for key in ["0 GET \(server.url("/c"))", "1 GET \(server.url("/c"))", "0 GET http://example.org/d"] {
            try parts.store(DataCacheEntry(data: Data(count: 1000)), for: key)
        }
    }

    @Test func `Originals, partial bodies and bitmaps are counted, verified and removed`() async throws {
        try await fill()
        let text = try firn.run(["cache", "stats", "cache"], in: scratch)
        #expect(text.lines.first?.hasPrefix("cache: 2 entries, ") == true)
        #expect(text.lines.contains { $0.hasPrefix("  partial bodies: 2 in 3 parts, 3.") })
        #expect(text.lines.contains { $0.hasPrefix("  bitmaps: 2, ") })
        let json = try firn.run(["cache", "stats", "cache", "--json"], in: scratch)
        #expect(json.output.contains(#""partialBodies":{"bodies":2,"parts":3,"bytes":3"#))
        #expect(json.output.contains(#""bitmaps":{"images":2,"bytes":"#))

        let whole = "cache: 2 entries, 3 parts of bodies, 2 bitmaps"
        #expect(try firn.run(["cache", "verify", "cache"], in: scratch).lines == ["\(whole), 0 problems"])
        // The last byte of a file belongs to its body or its pixels.
        let files = scratch.files(below: "cache").filter { $0.hasSuffix(".firn") }
        for folder in ["v2/", "partial/", "bitmaps-v1/"] {
            let file = try #require(files.first { $0.hasPrefix(folder) })
            var data = try scratch.data("cache/\(file)")
            data[data.endIndex - 1] ^= 1
            try scratch.write("cache/\(file)", data)
        }
        let damaged = try firn.run(["cache", "verify", "cache", "--remove"], in: scratch)
        #expect(damaged.status == 1)
        #expect(damaged.lines.filter { $0.hasSuffix("does not match its checksum (removed)") }.count == 3)
        #expect(damaged.lines.last == "cache: 1 entry, 2 parts of bodies, 1 bitmap, 3 problems")

        try scratch.write("cache/mine.txt", Data("mine".utf8))
        let cleared = try firn.run(["cache", "clear", "cache"], in: scratch)
        #expect(cleared.lines == ["cache: 1 entry, 2 parts of bodies, 1 bitmap removed"])
        #expect(!scratch.files(below: "cache").contains { $0.hasSuffix(".firn") })
        #expect(scratch.files(below: "cache").contains("mine.txt"))
    }

    @Test func `Without a folder, the commands use the user's cache, which may be missing`() async throws {
        let shell = "export XDG_CACHE_HOME='\(scratch.root)'"
        let missing = try firn.run(["cache", "clear"], in: scratch, shell: shell)
        #expect(missing.lines == ["\(scratch.path("firn")): 0 entries removed"], "\(missing.errors)")
        try await fill("firn")
        let statistics = try firn.run(["cache", "info"], in: scratch, shell: shell)
        #expect(
            statistics.lines.first?.hasPrefix("\(scratch.path("firn")): 2 entries, ") == true, "\(statistics.errors)")
        let cleared = try firn.run(["cache", "clear"], in: scratch, shell: shell)
        #expect(
            cleared.lines == ["\(scratch.path("firn")): 2 entries, 3 parts of bodies, 2 bitmaps removed"],
            "\(cleared.errors)")
        let homeless = try firn.run(["cache", "clear"], in: scratch, shell: "unset XDG_CACHE_HOME HOME")
        #expect(homeless.status == 1)
        #expect(homeless.errorLines == ["firn: no place for a cache; name a folder, or set HOME"])
    }

    @Test func `A filter applies to all stores`() async throws {
        try await fill()
        func clear(_ filter: String...) throws -> [String] {
            try firn.run(["cache", "clear", "cache"] + filter, in: scratch).lines
        }
        #expect(try clear("--older-than", "1h") == ["cache: 0 entries removed"])
        #expect(try clear("--host", "example.org") == ["cache: 0 entries, 1 part of a body removed"])
        #expect(try clear("--host", "127.0.0.1") == ["cache: 2 entries, 2 parts of bodies, 2 bitmaps removed"])
    }

    @Test func `A folder with only bitmaps can be inspected`() async throws {
        server.respond(to: "/a.png", with: .body(try Images.png(40, 30)))
        let pipeline = ImagePipeline { $0.bitmapStore = .disk(path: scratch.path("bitmaps")) }
        _ = try await pipeline.image(for: ImageRequest(url: server.url("/a.png")))
        await pipeline.flush()
        let verified = try firn.run(["cache", "verify", "bitmaps"], in: scratch)
        #expect(verified.lines == ["bitmaps: 0 entries, 1 bitmap, 0 problems"])
    }
}
