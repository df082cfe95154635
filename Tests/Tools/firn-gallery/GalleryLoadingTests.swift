#if GTK
import Firn
import FirnTesting
import FoundationEssentials
import Testing

@testable import firn_gallery

/// Tests what the built gallery shows while images load.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct GalleryLoadingTests {
    private let folder: TestFolder
    private let store: ThumbnailStore

    init() throws {
        folder = try TestFolder()
        store = ThumbnailStore(directory: URL(filePath: "\(folder.path)/.cache/thumbnails"))
    }

    @Test func `A shared thumbnail of another size stands in for an image that takes long to decode`() async throws {
        try await writeLargeImages()
        let without = try await open([folder.path], cache: ".other")
        #expect(without.contains("\"right\":6,"), "\(without)")
        #expect(without.contains("\"standIns\":0,"), "\(without)")
        let with = try await open([folder.path])
        #expect(with.contains("\"right\":6,"), "\(with)")
        #expect(!with.contains("\"standIns\":0,"), "\(with)")
    }

    @Test func `A shared thumbnail stands in for the large image`() async throws {
        try await writeLargeImages()
        let without = try await open(["\(folder.path)/0.png"], cache: ".other")
        #expect(without.contains("\"largeStandIn\":false"), "\(without)")
        let with = try await open(["\(folder.path)/0.png"])
        #expect(with.contains("\"line\":\"0.png   1 of 6   5000 × 4000"), "\(with)")
        #expect(with.contains("\"largeStandIn\":true"), "\(with)")
    }

    @Test func `A cell shows the BlurHash of its list, or a sign that does not appear within 300 ms`() async throws {
        let server = try ScriptedServer()
        let slow = ScriptedResponse.steps(
            [.drip(Data(GalleryLoadingTests.gif), pause: .milliseconds(30))],
            framing: .statedLength(GalleryLoadingTests.gif.count))
        for path in ["/a.gif", "/b.gif"] { server.respond(to: path, with: slow) }
        let lines = [
            "{\"source\": \"\(server.url("/a.gif"))\", \"blurHash\": \"LEHV6nWB2yk8pyo0adR*.7kCMdnj\"}",
            "{\"url\": \"\(server.url("/b.gif"))\", \"blurHash\": \"damaged\"}", "{}",
        ]
        try folder.write("list.jsonl", Array(lines.joined(separator: "\n").utf8))
        let output = try await open(["@\(folder.path)/list.jsonl", "--cache", "\(folder.path)/.network"])
        #expect(output.contains("\"right\":2,"), "\(output)")
        #expect(output.contains("\"standIns\":1,\"busy\":1,"), "\(output)")
        #expect(output.contains("list.jsonl: A line names no source: {}"), "\(output)")
        let shortest = output.firstMatch(of: /"busyAfterMs":([0-9.]+)/).flatMap { Double($0.output.1) }
        #expect(try #require(shortest) >= 300, "\(output)")
    }

    /// Writes an image of 20 megapixels under six names, with a small thumbnail for each.
    private func writeLargeImages() async throws {
        let image = try Bitmap(size: PixelSize(width: 5_000, height: 4_000), format: .rgb8) { _ in }
        try await image.write(toPath: "\(folder.path)/0.png")
        let small = try Bitmap(size: PixelSize(width: 128, height: 102), format: .rgb8) { _ in }
        let thumbnail = try PNGEncoder(compressionLevel: 3).encode(small)
        let paths = (0..<6).map { "\(folder.path)/\($0).png" }
        // Order: a new name is a change of the file's status, which makes its thumbnails outdated.
        for path in paths.dropFirst() { try FileManager.default.linkItem(atPath: paths[0], toPath: path) }
        for path in paths {
            let record = try #require(try store.record(of: URL(filePath: path), size: .normal))
            try store.store(thumbnail, for: record)
        }
    }

    /// Opens sources and returns the report.
    private func open(_ arguments: [String], cache: String = ".cache") async throws -> String {
        let variables = ["XDG_CACHE_HOME=\(folder.path)/\(cache)"]
        return try await OwnThread.run {
            let display = try DisplayServer()
            defer { withExtendedLifetime(display) {} }
            return try ScenePlayer.run(
                "firn-gallery", ["--headless-open"] + arguments, on: display, variables: variables)
        }.output
    }

    private static let gif: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 200, 60, 60, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
        + [2, 2, 0x44, 1, 0, 0x3B]
}
#endif
