import FirnCache
import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests cached images that must not be used anymore: outdated, deleted, or of another user.
@Suite(.timeLimit(.minutes(5))) struct OutdatedTests {
    typealias SourceResponse = FreshnessFixture.SourceResponse

    private static func tagged(_ width: Int, _ headers: HTTPHeaderFields = ["Cache-Control": "max-age=60"])
        -> SourceResponse
    {
        var headers = headers
        headers.append("ETag", "\"\(width)\"")
        return FreshnessFixture.image(width, headers)
    }

    @Test func `4_3_4 A confirmation of another image is asked about again, once and without conditions`() async throws
    {
        let fixture = FreshnessFixture { request, number in
            guard request.headers["If-None-Match"] == nil else {
                return SourceResponse(status: 304, headers: ["ETag": "\"other\"", "Cache-Control": "max-age=60"])
            }
            return Self.tagged(10 + number)
        }
        #expect(try await fixture.width() == 10)
        fixture.wait(60)
        let second = try await fixture.load()
        #expect(second.image.size.width == 12 && !second.isStale && second.cacheType == nil)
        #expect(fixture.requests.map { $0.headers["If-None-Match"] } == [nil, "\"10\"", nil])
        fixture.pipeline.cache.removeAll(caches: .memory)
        #expect(try await fixture.width() == 12)
        #expect(fixture.requests.count == 3)
    }

    @Test func `A source that confirms another image again and again makes an error, not a loop`() async throws {
        let fixture = FreshnessFixture { _, number in
            number == 0 ? Self.tagged(10) : SourceResponse(status: 304, headers: ["ETag": "\"other\""])
        }
        _ = try await fixture.load()
        fixture.wait(60)
        await #expect(throws: ImageLoadingError.self) { try await fixture.load() }
        #expect(fixture.requests.count == 3)
    }

    @Test(arguments: [404, 410, 403, 451])
    func `A removed image does not come back when its source fails`(status: Int) async throws {
        let fixture = FreshnessFixture { _, number in
            switch number {
            case 0: Self.tagged(10)
            case 1: SourceResponse(status: status)
            default: SourceResponse(status: 500)
            }
        }
        _ = try await fixture.load()
        fixture.wait(60)
        for _ in 0..<2 {
            await #expect(throws: ImageLoadingError.self) { try await fixture.load() }
            await fixture.pipeline.flush()
        }
        #expect(fixture.requests.count == 3 && fixture.files.files.isEmpty)
    }

    @Test(arguments: [429, 500, 501, 505])
    func `Another error keeps the stored response`(status: Int) async throws {
        let fixture = FreshnessFixture { _, number in
            number == 1 ? SourceResponse(status: status) : Self.tagged(10)
        }
        _ = try await fixture.load()
        fixture.wait(60)
        _ = try? await fixture.load()
        await fixture.pipeline.flush()
        #expect(fixture.files.files.count == 1)
    }

    @Test(arguments: [(500, true), (502, true), (503, true), (504, true), (501, false), (505, false), (599, false)])
    func `RFC 5861 §4 A stale image serves for four statuses`(status: Int, serves: Bool) async throws {
        let fixture = FreshnessFixture { _, number in number == 0 ? Self.tagged(10) : SourceResponse(status: status) }
        _ = try await fixture.load()
        fixture.wait(60)
        let result = try? await fixture.load()
        #expect((result?.isStale == true) == serves)
    }

    @Test func `4_1 Header fields that a delegate adds distinguish users`() async throws {
        let files = InMemoryFileSystem()
        let varied: HTTPHeaderFields = ["Cache-Control": "max-age=600", "Vary": "X-User"]
        func width(_ user: String) async throws -> (Int, requests: Int) {
            let source = RespondingLoader(images: { request, _ in
                FreshnessFixture.image(request.headers["X-User"]?.count ?? 1, varied)
            })
            var configuration = ImagePipeline.Configuration(dataLoader: source, decoders: [ScriptedDecoder()])
            configuration.httpCachePolicy = HTTPCachePolicy.images
            configuration.dataCache = DataCache(directory: "/c", fileSystem: files)
            let signer = Signer(user)
            let pipeline = ImagePipeline(configuration: configuration, delegate: signer)
            let image = try await pipeline.image(for: FreshnessFixture.url)
            await pipeline.flush()
            return (image.size.width, source.requests.count)
        }
        #expect(try await width("four") == (4, 1))
        #expect(try await width("four") == (4, 0))
        #expect(try await width("seven77") == (7, 1))
    }

    private final class Signer: ImagePipeline.Delegate {
        private let user: String
        init(_ user: String) { self.user = user }

        func willLoadData(
            for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
        ) async throws -> DataRequest {
            var sent = dataRequest
            sent.headers["X-User"] = user
            return sent
        }
    }

    @Test(arguments: [1601, 1700, 2263, 9999])
    func `A Date of a distant year is loaded and loaded again`(year: Int) async throws {
        let headers: HTTPHeaderFields = ["Date": "Mon, 01 Jan \(year) 00:00:00 GMT", "Cache-Control": "max-age=60"]
        let fixture = FreshnessFixture { _, _ in Self.tagged(10, headers) }
        #expect(try await fixture.width() == 10)
        let second = FreshnessFixture(files: fixture.files) { _, _ in Self.tagged(10, headers) }
        #expect(try await second.width() == 10)
    }
}
