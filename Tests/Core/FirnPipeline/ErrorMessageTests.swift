import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests that errors state the source, what was wrong, and what to do, in one line.
@Suite(.timeLimit(.minutes(5))) struct ErrorMessageTests {
    private func message(
        _ request: ImageRequest, _ fixture: PipelineFixture = PipelineFixture()
    ) async -> String? {
        let error = await #expect(throws: ImageLoadingError.self) {
            _ = try await fixture.pipeline.image(for: request)
        }
        let text = error.map { "\($0)" }
        #expect(text?.contains("\n") == false)
        return text
    }

    @Test func `The error of a cache-only request names the option that forbids loading`() async {
        let text = await message(ImageRequest(url: "https://a/x.png", options: .returnCacheDataDontLoad))
        #expect(
            text == "https://a/x.png: not in any cache; the option returnCacheDataDontLoad forbids loading it")
    }

    @Test func `A file beyond the limit names its size and the limit that allows more`() async {
        let files = InMemoryFileSystem()
        files["/a.test"] = Data(count: 30)
        let fixture = PipelineFixture {
            $0.files = files
            $0.limits.maximumBytes = 20
        }
        let text = await message(ImageRequest(path: "/a.test"), fixture)
        #expect(text == "/a.test: the file has 30 bytes; 20 are allowed (ImageLimits.maximumBytes)")
    }

    @Test func `A body beyond the limit names the limit`() async {
        let fixture = PipelineFixture { $0.limits.maximumBytes = 5 }
        let text = await message(ImageRequest(url: fixture.image("a")), fixture)
        #expect(
            text?.hasSuffix("a: the body is longer than the 5 bytes that ImageLimits.maximumBytes allows") == true)
    }

    @Test func `A decode beyond the limit of memory names the limit`() async {
        let fixture = PipelineFixture(decoder: ScriptedDecoder(bytesPerDecode: 1_000)) {
            $0.limits.maximumWorkingBytes = 999
        }
        let text = await message(ImageRequest(url: fixture.image("a")), fixture)
        #expect(
            text?.hasSuffix("decoding takes 1000 bytes of memory; 999 are allowed (ImageLimits.maximumWorkingBytes)")
                == true)
    }

    @Test(arguments: [
        ("firn-avif", Data([0, 0, 0, 24]) + Data("ftypavif".utf8), "AVIF"),
        ("firn-tiff", Data([0x49, 0x49, 42, 0, 8, 0, 0, 0]), "TIFF"),
    ])
    func `A format without a decoder names the package trait that has it`(
        name: String, head: Data, trait: String
    ) async {
        let fixture = PipelineFixture()
        let url = "https://a/\(name)"
        fixture.loader.respond(to: url, with: head + Data(count: 100))
        let text = await message(ImageRequest(url: url), fixture)
        #expect(text?.hasSuffix("enable the package trait \(trait)") == true, "\(text ?? "")")
    }
}
