import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import Foundation
import TestSupport
import Testing

/// Tests images of files that change.
@Suite(.timeLimit(.minutes(5))) struct FileChangeTests {
    private let files = InMemoryFileSystem()
    private let fixture: PipelineFixture
    private let request = ImageRequest(path: "/images/a b.test")

    init() {
        let files = files
        fixture = PipelineFixture(memory: true) { $0.files = files }
        write(40)
    }

    /// Writes an image; the files of all widths have the same length, so that only the time differs.
    private func write(_ width: Int, modified: Int64 = 0) {
        let path = "/images/a b.test"
        files[path] = ScriptedDecoder.image(PixelSize(width: width, height: 30))
        try? files.touch(path, modified: modified)
    }

    @Test func `An unchanged file is a memory hit`() async throws {
        _ = try await fixture.pipeline.image(for: request)
        let task = fixture.pipeline.imageTask(with: request)
        #expect(task.state == .completed)
        #expect(try await task.response.cacheType == .memory)
        #expect(fixture.decoder.decodes.count == 1)
    }

    @Test func `A file with another time is read again`() async throws {
        #expect(try await fixture.pipeline.image(for: request).size.width == 40)
        write(41, modified: 1)
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
        #expect(try await fixture.pipeline.image(for: request).size.width == 41)
        #expect(try await fixture.pipeline.image(for: request).size.width == 41)
        #expect(fixture.decoder.decodes.count == 2)
    }

    @Test func `A file put in the place of another is read again`() async throws {
        _ = try await fixture.pipeline.image(for: request)
        files["/images/new"] = ScriptedDecoder.image(PixelSize(width: 42, height: 30))
        try files.rename("/images/new", to: "/images/a b.test")
        #expect(try await fixture.pipeline.image(for: request).size.width == 42)
    }

    @Test func `A file that was removed is no memory hit`() async throws {
        _ = try await fixture.pipeline.image(for: request)
        files["/images/a b.test"] = nil
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
        await #expect {
            _ = try await fixture.pipeline.image(for: request)
        } throws: { error in
            (error as? ImageLoadingError)?.fault == .source
        }
    }

    @Test(arguments: [true, false])
    func `A file that was edited with its length, time and inode kept is read again`(memory: Bool) async throws {
        let folder = NSTemporaryDirectory() + "firn-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/a.test"
        try ScriptedDecoder.image(PixelSize(width: 40, height: 30)).write(to: URL(fileURLWithPath: path))
        let fixture = PipelineFixture(memory: memory) {
            $0.bitmapStore = BitmapStore(directory: "/bitmaps", limits: .init(), fileSystem: InMemoryFileSystem())
        }
        let request = ImageRequest(path: path)
        #expect(try await fixture.pipeline.image(for: request).size.width == 40)
        await fixture.pipeline.flush()
        let disk = LocalFileSystem()
        let before = try disk.status(path)
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        // Within a tick of the file system's clock two changes have one time.
        repeat {
            try file.seek(toOffset: 0)
            file.write(ScriptedDecoder.image(PixelSize(width: 44, height: 30)))
            try disk.touch(path, modified: before.modified)
        } while try disk.status(path).changed == before.changed
        try file.close()
        let after = try disk.status(path)
        #expect((after.size, after.modified, after.inode) == (before.size, before.modified, before.inode))
        #expect(try await fixture.pipeline.image(for: request).size.width == 44)
    }

    @Test func `Processed and reduced images of an old file are old`() async throws {
        let bare = CountingProcessor(identifier: "bare", counter: Counter(), forgets: true)
        let processed = ImageRequest(path: "/images/a b.test", processors: [bare])
        _ = try await fixture.pipeline.image(for: request)
        _ = try await fixture.pipeline.image(for: processed)
        write(43, modified: 1)
        let small = ImageRequest(
            path: "/images/a b.test", targetSize: TargetSize(20, mode: .fill))
        #expect(try await fixture.pipeline.image(for: small).size.width == 29)
        #expect(try await fixture.pipeline.image(for: processed).size.width == 43)
    }

    @Test func `A task that joins the reading of a file that changed gets the new content`() async throws {
        fixture.decoder.hold()
        let first = fixture.pipeline.imageTask(with: request)
        await fixture.decoder.decodes.wait { $0.active == 1 }
        write(44, modified: 1)
        let second = fixture.pipeline.imageTask(with: request)
        fixture.decoder.release()
        #expect(try await second.image.size.width == 44)
        #expect(try await first.image.size.width == 44)
        #expect(fixture.pipeline.cachedImage(for: request)?.size.width == 44)
    }

    @Test func `A task of a pipeline that was shut down meanwhile is cancelled, and nothing is read again`() async {
        fixture.decoder.hold()
        let task = fixture.pipeline.imageTask(with: request)
        await fixture.decoder.decodes.wait { $0.active == 1 }
        write(44, modified: 1)
        fixture.pipeline.invalidate()
        fixture.decoder.release()
        #expect(task.state == .cancelled)
        await fixture.decoder.decodes.wait { $0.active == 0 }
        #expect(fixture.decoder.sessions.count == 1)
    }

    @Test func `A damaged image is read again if its file was still being written`() async throws {
        let path = "/images/a b.test"
        files[path] = Data("firn-test 40".utf8)
        let decoder = LateFailure(decoder: fixture.decoder) { [files] in
            files[path] = ScriptedDecoder.image(PixelSize(width: 40, height: 30))
            try? files.touch(path, modified: 1)
        }
        var configuration = fixture.pipeline.configuration
        configuration.decoders = [decoder]
        let pipeline = ImagePipeline(configuration: configuration)
        #expect(try await pipeline.image(for: request).size.width == 40)
    }

    /// A decoder that completes the file while it decodes.
    private struct LateFailure: ImageDecoding {
        let decoder: ScriptedDecoder
        let complete: @Sendable () -> Void

        func recognizes(_ head: Data) -> ImageFormat? { decoder.recognizes(head) }

        func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
            complete()
            return decoder.makeSession(limits: limits, cancellation: cancellation)
        }
    }

    @Test func `A task that waits for a file's second reading can be cancelled`() async throws {
        fixture.decoder.hold()
        let task = fixture.pipeline.imageTask(with: request)
        await fixture.decoder.decodes.wait { $0.active == 1 }
        write(44, modified: 1)
        fixture.decoder.release()
        task.cancel()
        #expect(task.state == .cancelled)
        #expect(try await fixture.pipeline.image(for: request).size.width == 44)
    }

    @Test func `The system's special files are recognized`() async throws {
        let folder = NSTemporaryDirectory() + "firn-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/a.test"
        func write(_ width: Int) throws {
            try ScriptedDecoder.image(PixelSize(width: width, height: 3)).write(to: URL(fileURLWithPath: path))
        }
        let fixture = PipelineFixture(memory: true)
        try write(9)
        #expect(try await fixture.pipeline.image(for: ImageRequest(path: path)).size.width == 9)
        #expect(fixture.pipeline.cachedImage(for: ImageRequest(path: path)) != nil)
        #expect(try LocalFileSystem().knownStatus(path) == LocalFileSystem().status(path))
        try write(10)
        #expect(fixture.pipeline.cachedImage(for: ImageRequest(path: path)) == nil)
        #expect(try await fixture.pipeline.image(for: ImageRequest(path: path)).size.width == 10)
        #expect(throws: DataFileError.self) { try LocalFileSystem().knownStatus(folder + "/none") }
        #expect(throws: DataFileError.self) { try LocalFileSystem().knownStatus("a\0b") }
    }
}
