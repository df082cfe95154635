import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct LoadingTests {
    @Test func `An address becomes an image`() async throws {
        let fixture = PipelineFixture()
        let image = try await fixture.pipeline.image(for: fixture.image("a"))
        #expect(image.size == PipelineFixture.size)
        #expect(image.format == .bgra8Premultiplied)
        #expect(fixture.loader.transfers("https://example.org/a").count == 1)
    }

    @Test func `Method and header fields reach the loader and are part of the identity`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        let plain = ImageRequest(url: url)
        let signed = ImageRequest(dataRequest: DataRequest(url: url, headers: ["Authorization": "x"]))
        #expect(plain.imageCacheKey != signed.imageCacheKey)
        _ = try await fixture.pipeline.image(for: signed)
        #expect(fixture.loader.requests.calls.first?.headers["authorization"] == "x")
    }

    @Test func `Header fields identify a request in whatever order they are`() {
        func request(_ headers: HTTPHeaderFields) -> ImageRequest {
            ImageRequest(dataRequest: DataRequest(url: "https://a/x", headers: headers))
        }
        let one = request(["Accept": "image/webp", "Authorization": "x"])
        #expect(one.imageCacheKey == request(["authorization": "x", "accept": "image/webp"]).imageCacheKey)
        #expect(one.imageCacheKey != request(["Accept": "image/png", "Authorization": "x"]).imageCacheKey)
        // The order of fields with the same name matters.
        #expect(
            request(["Accept": "a", "accept": "b"]).imageCacheKey
                != request(["Accept": "b", "accept": "a"]).imageCacheKey)
    }

    @Test func `User info and priority are not part of a request's identity`() {
        var request = ImageRequest(url: "https://a/x")
        let key = request.imageCacheKey
        request.userInfo["album"] = 7
        request.priority = .high
        #expect(request.imageCacheKey == key)
        #expect(request.userInfo["album"] as? Int == 7)
    }

    @Test func `A request without an address fails, and says so`() async {
        let fixture = PipelineFixture()
        let missing: URL? = nil
        await #expect {
            _ = try await fixture.pipeline.image(for: ImageRequest(url: missing))
        } throws: { error in
            "\(error)".contains("no address")
        }
    }

    @Test func `Bytes at hand need no loader`() async throws {
        let fixture = PipelineFixture()
        let request = ImageRequest(id: "x", data: ScriptedDecoder.image(PixelSize(width: 3, height: 2)))
        #expect(try await fixture.pipeline.image(for: request).size == PixelSize(width: 3, height: 2))
        #expect(fixture.loader.requests.isEmpty)
    }

    @Test func `A closure's bytes become an image and are fetched once for all tasks`() async throws {
        let fixture = PipelineFixture()
        let calls = Counter()
        fixture.decoder.hold()
        let request = ImageRequest(id: "x") {
            calls.add()
            return ScriptedDecoder.image(PixelSize(width: 3, height: 2))
        }
        let tasks = (0..<10).map { _ in fixture.pipeline.imageTask(with: request) }
        fixture.decoder.release()
        for task in tasks { #expect(try await task.image.size.width == 3) }
        #expect(calls.count == 1)
    }

    @Test func `A closure that throws fails its request with the cause`() async {
        let fixture = PipelineFixture()
        let request = ImageRequest(id: "album/7") { throw DataLoadingError(.other, "the album is locked") }
        await #expect {
            _ = try await fixture.pipeline.image(for: request)
        } throws: { error in
            "\(error)" == "album/7: the album is locked"
        }
    }

    @Test func `A data address is read without a loader`() async throws {
        let fixture = PipelineFixture()
        let encoded = ScriptedDecoder.image(PixelSize(width: 5, height: 4)).base64EncodedString()
        let image = try await fixture.pipeline.image(for: "data:image/png;base64,\(encoded)")
        #expect(image.size == PixelSize(width: 5, height: 4))
        await #expect(throws: ImageLoadingError.self) { try await fixture.pipeline.image(for: "data:nothing") }
        #expect(fixture.loader.requests.isEmpty)
    }

    @Test func `A file is read, whatever its name holds`() async throws {
        let files = InMemoryFileSystem()
        try files.createDirectory("/images")
        let path = "/images/50 % off #1 ü.jpg"
        try files.create(path, [ScriptedDecoder.image(PixelSize(width: 5, height: 4))])
        let fixture = PipelineFixture { $0.files = files }
        #expect(try await fixture.pipeline.image(for: ImageRequest(path: path)).size.width == 5)
    }

    @Test func `A relative path stays relative to the working directory`() async {
        let fixture = PipelineFixture { $0.files = InMemoryFileSystem() }
        await #expect {
            _ = try await fixture.pipeline.image(for: ImageRequest(path: "small/p 1.jpg"))
        } throws: { error in
            (error as? ImageLoadingError)?.source == "small/p 1.jpg"
        }
    }

    @Test func `A file that is missing fails with its path and the system's reason`() async {
        let fixture = PipelineFixture { $0.files = InMemoryFileSystem() }
        await #expect {
            _ = try await fixture.pipeline.image(for: ImageRequest(path: "/no/such.png"))
        } throws: { error in
            guard let error = error as? ImageLoadingError else { return false }
            return error.fault == .source && error.source == "/no/such.png"
                && error.message.contains("No such file or directory")
        }
    }

    @Test func `The target size reaches the decoder, and the image has exactly that size`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a", size: PixelSize(width: 400, height: 300))
        let target = TargetSize(100)
        let image = try await fixture.pipeline.image(for: ImageRequest(url: url, targetSize: target))
        #expect(image.size == PixelSize(width: 100, height: 75))
        #expect(fixture.decoder.decodes.calls.map(\.targetSize) == [target])
    }

    @Test func `A body shorter than announced is an error, not an image`() async {
        let fixture = PipelineFixture()
        let body = ScriptedDecoder.image(PipelineFixture.size)
        let response = DataResponse(url: "", status: 200, expectedLength: body.count + 1)
        fixture.loader.respond(to: "https://example.org/a", with: [.response(response), .chunk(body), .end(nil)])
        await #expect {
            _ = try await fixture.pipeline.image(for: "https://example.org/a")
        } throws: { error in
            (error as? ImageLoadingError)?.fault == .source
        }
    }

    @Test func `A body beyond the limit ends the transfer`() async {
        var limits = ImageLimits()
        limits.maximumBytes = 100
        let fixture = PipelineFixture { $0.limits = limits }
        let url = "https://example.org/endless"
        let (task, transfer) = await fixture.start(url)
        for _ in 0..<11 { transfer.send(Data(repeating: 1, count: 10)) }
        await #expect {
            _ = try await task.response
        } throws: { error in
            (error as? ImageLoadingError)?.fault == .limit
        }
        await fixture.loader.requests.wait { $0.cancelled.map(\.url) == [url] }
    }

    @Test func `The error says which data came instead of an image`() async {
        let fixture = PipelineFixture()
        fixture.loader.respond(to: "https://a/p.jpg", with: Data("<!DOCTYPE html><html>".utf8))
        fixture.loader.respond(to: "https://a/e.jpg", with: Data())
        fixture.loader.respond(to: "https://a/x.jpg", with: Data([1, 2, 3, 4]))
        var messages: [String] = []
        for name in ["p", "e", "x"] {
            do { _ = try await fixture.pipeline.image(for: "https://a/\(name).jpg") } catch {
                messages.append("\(error)")
            }
        }
        #expect(
            messages == [
                "https://a/p.jpg: not an image: the content is an HTML page",
                "https://a/e.jpg: the source gave no bytes",
                "https://a/x.jpg: not an image of a known format: the content starts with 01 02 03 04",
            ])
    }

    @Test func `A server's refusal keeps its status`() async {
        let fixture = PipelineFixture()
        await #expect {
            _ = try await fixture.pipeline.image(for: "https://example.org/missing")
        } throws: { error in
            (error as? ImageLoadingError)?.statusCode == 404
        }
    }
}
