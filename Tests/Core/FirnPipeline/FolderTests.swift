import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct FolderTests {
    private static let image = ScriptedDecoder.image(PixelSize(width: 5, height: 4))

    private func fixture() throws -> PipelineFixture {
        let files = InMemoryFileSystem()
        try files.createDirectory("/documents/trip")
        for name in ["b.jpg", "a photograph", ".hidden.jpg", "trip/c.png"] {
            try files.create("/documents/\(name)", [Self.image])
        }
        try files.create("/documents/notes.jpg", [Data("a text that calls itself an image".utf8)])
        try files.create("/documents/empty.jpg", [])
        return PipelineFixture { $0.files = files }
    }

    @Test func `A folder's images are recognized by content and sorted by name`() async throws {
        let found = try await fixture().pipeline.requests(inFolder: URL(filePath: "/documents"))
        #expect(found.map(\.description) == ["file:///documents/a%20photograph", "file:///documents/b.jpg"])
    }

    @Test func `Folders below count if they are asked for`() async throws {
        let fixture = try fixture()
        let target = TargetSize(2)
        let found = try await fixture.pipeline.requests(
            inFolder: URL(filePath: "/documents/"), isRecursive: true, targetSize: target)
        #expect(found.count == 3)
        #expect(found.last?.description == "file:///documents/trip/c.png")
        for request in found { #expect(try await fixture.pipeline.image(for: request).size.width == 2) }
    }

    @Test func `A folder has the files that only makeImageDecoder recognizes`() async throws {
        let files = InMemoryFileSystem()
        try files.createDirectory("/documents")
        try files.create("/documents/a.raw", [Data("bytes without a signature".utf8)])
        try files.create("/documents/a.txt", [Data("a text".utf8)])
        let fixture = PipelineFixture {
            $0.files = files
            $0.makeImageDecoder = { $0.request.description.hasSuffix(".raw") ? ScriptedDecoder() : nil }
        }
        let found = try await fixture.pipeline.requests(inFolder: URL(filePath: "/documents"))
        #expect(found.map(\.description) == ["file:///documents/a.raw"])
    }

    @Test func `A missing folder fails with its path`() async throws {
        let pipeline = try fixture().pipeline
        await #expect {
            _ = try await pipeline.requests(inFolder: URL(filePath: "/none"))
        } throws: { error in
            (error as? ImageLoadingError)?.source == "/none" && "\(error)".contains("No such file")
        }
    }

    @Test func `A link that leads round in a circle ends`() async throws {
        let folder = "/tmp/firn-folder-\(UInt64.random(in: 0 ... .max))"
        let files = LocalFileSystem()
        try files.createDirectory(folder + "/deep")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try files.create(folder + "/deep/a.png", [Self.image])
        try FileManager.default.createSymbolicLink(atPath: folder + "/deep/up", withDestinationPath: folder)
        let fixture = PipelineFixture()
        let found = try await fixture.pipeline.requests(inFolder: URL(filePath: folder), isRecursive: true)
        #expect(found.map(\.description) == ["file://\(folder)/deep/a.png"])
    }
}
