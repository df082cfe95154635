import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import TestSupport
import Testing

/// Tests requests whose address does not come from the program itself.
@Suite(.timeLimit(.minutes(5))) struct UntrustedAddressTests {
    @Test func `The loader learns which addresses are untrusted`() async throws {
        let fixture = PipelineFixture()
        let (own, listed, marked) = (fixture.image("own"), fixture.image("listed"), fixture.image("marked"))
        _ = try await fixture.pipeline.image(for: own)
        _ = try await fixture.pipeline.image(for: ImageRequest(url: listed, options: .untrustedAddress))
        var data = DataRequest(url: marked)
        data.isUntrusted = true
        let request = ImageRequest(dataRequest: data)
        #expect(request.options.contains(.untrustedAddress))
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.loader.requests.calls.map(\.isUntrusted) == [false, true, true])
    }

    @Test func `An urgent untrusted request is still untrusted`() async throws {
        let fixture = PipelineFixture()
        let request = ImageRequest(url: fixture.image("a"), priority: .veryHigh, options: .untrustedAddress)
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.loader.requests.calls.map(\.isUntrusted) == [true])
    }

    @Test func `An untrusted request joins no download of a trusted one`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let tasks = [ImageRequest(url: url), ImageRequest(url: url, options: .untrustedAddress)]
            .map { fixture.pipeline.imageTask(with: $0) }
        _ = await fixture.loader.waitForRequest(url, number: 2)
        fixture.loader.release(url)
        for task in tasks { _ = try await task.image }
        #expect(fixture.loader.requests.calls.map(\.isUntrusted).sorted { !$0 && $1 } == [false, true])
    }

    @Test func `An untrusted address reads no file`() async throws {
        let files = InMemoryFileSystem()
        files["/secret"] = ScriptedDecoder.image(PixelSize(width: 4, height: 3))
        let fixture = PipelineFixture { $0.files = files }
        #expect(try await fixture.pipeline.image(for: "file:///secret").size.width == 4)
        let error = await #expect(throws: ImageLoadingError.self) {
            _ = try await fixture.pipeline.image(for: ImageRequest(url: "file:///secret", options: .untrustedAddress))
        }
        #expect(error?.fault == .request)
        #expect(error.map { "\($0)" }?.hasPrefix("file:///secret: ") == true)
    }
}
