import FirnData
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnSync
import FirnTesting
import FoundationEssentials
import Testing

/// Tests which of the responses at one address a request gets, if a delegate sends other fields for the same request.
@Suite(.timeLimit(.minutes(5))) struct SelectedResponsesTests {
    typealias SourceResponse = FreshnessFixture.SourceResponse

    /// Sends the language that the program wants at the moment, or that of the request's `userInfo`.
    private final class Languages: ImagePipeline.Delegate {
        static let key: ImageContainer.UserInfoKey = "language"
        let language = Locked("de")
        let suspends: Bool

        init(suspends: Bool = false) { self.suspends = suspends }

        func willLoadData(
            for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
        ) async throws -> DataRequest {
            if suspends { await Task.yield() }
            var sent = dataRequest
            sent.headers["Accept-Language"] = request.userInfo[Self.key] as? String ?? language.withLock { $0 }
            return sent
        }
    }

    private static let widths = ["de": 10, "fr": 11, "it": 12]

    private static func fixture(
        _ languages: Languages, memory: Bool = true, disk: Bool = true,
        _ headers: HTTPHeaderFields = ["Cache-Control": "max-age=600", "Vary": "Accept-Language"]
    ) -> FreshnessFixture {
        FreshnessFixture(memory: memory, disk: disk, delegate: languages) { request, _ in
            FreshnessFixture.image(widths[request.headers["Accept-Language"] ?? ""] ?? 99, headers)
        }
    }

    private static func request(_ language: String) -> ImageRequest {
        var request = ImageRequest(url: FreshnessFixture.url)
        request.userInfo[Languages.key] = language
        return request
    }

    @Test(arguments: [(true, false, 3), (false, true, 2), (true, true, 2)])
    func `An image matches the header fields that are sent now`(memory: Bool, disk: Bool, requests: Int) async throws {
        let languages = Languages()
        let fixture = Self.fixture(languages, memory: memory, disk: disk)
        for language in ["de", "fr", "de", "de"] {
            languages.language.withLock { $0 = language }
            #expect(try await fixture.width() == Self.widths[language])
            let data = try await fixture.pipeline.data(for: ImageRequest(url: FreshnessFixture.url)).0
            if disk { #expect(data == ScriptedDecoder.image(PixelSize(width: Self.widths[language] ?? 0, height: 30))) }
        }
        let images = fixture.requests.count
        if disk { #expect(images == requests) }
        // Memory serves the same language.
        if memory {
            #expect(try await fixture.load().cacheType == .memory)
        }
    }

    @Test func `Images at other sizes and processed images are of the same response`() async throws {
        let languages = Languages()
        let fixture = Self.fixture(languages, disk: false)
        var small = ImageRequest(url: FreshnessFixture.url)
        small.targetSize = TargetSize(5)
        #expect(try await fixture.load().image.size.width == 10)
        languages.language.withLock { $0 = "fr" }
        let response = try await fixture.load(small)
        #expect(response.cacheType == nil && fixture.requests.count == 2)
        var processed = ImageRequest(url: FreshnessFixture.url)
        processed.processors = [ImageProcessors.Rotate(.right)]
        languages.language.withLock { $0 = "it" }
        #expect(try await fixture.load(processed).image.size.height == 12)
    }

    @Test(arguments: [false, true], ["Accept-Language", "*"])
    func `Tasks that would send other fields share no body`(suspends: Bool, vary: String) async throws {
        let languages = Languages(suspends: suspends)
        let fixture = Self.fixture(languages, memory: false, disk: false, ["Vary": vary])
        fixture.source.hold()
        let tasks = ["de", "fr", "de", "it"].map { ($0, fixture.pipeline.imageTask(with: Self.request($0))) }
        let data = fixture.pipeline.dataTask(with: Self.request("fr"))
        await fixture.source.wait(forRequests: 1)
        fixture.source.release()
        for (language, task) in tasks {
            #expect(try await task.response.image.size.width == Self.widths[language], "\(language)")
        }
        #expect(try await data.response.data == ScriptedDecoder.image(PixelSize(width: 11, height: 30)))
        // The two tasks for "de" share a load; those for "fr" do if one joins before the other has ended.
        if !suspends, vary != "*" { #expect((3...4).contains(fixture.requests.count)) }
    }

    @Test func `Without Vary, users share one response`() async throws {
        let languages = Languages()
        let fixture = Self.fixture(languages, memory: false, disk: false, ["Cache-Control": "max-age=600"])
        fixture.source.hold()
        let tasks = ["de", "fr"].map { fixture.pipeline.imageTask(with: Self.request($0)) }
        await fixture.source.wait(forRequests: 1)
        fixture.source.release()
        for task in tasks { _ = try await task.response }
        #expect(fixture.requests.count == 1)
    }

    @Test func `A removal covers all variants of a response`() async throws {
        let languages = Languages()
        let fixture = Self.fixture(languages)
        for language in ["de", "fr"] {
            languages.language.withLock { $0 = language }
            _ = try await fixture.load()
        }
        fixture.pipeline.cache.removeImages(for: ImageRequest(url: FreshnessFixture.url))
        languages.language.withLock { $0 = "de" }
        #expect(try await fixture.load().cacheType == nil)
        #expect(fixture.requests.count == 3)
    }
}
