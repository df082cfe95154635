import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import Testing

/// Tests requests of a pipeline that are no plain GETs, and their effect on what it has stored.
@Suite(.timeLimit(.minutes(5))) struct OtherMethodsTests {
    typealias SourceResponse = FreshnessFixture.SourceResponse
    private static let body = ScriptedDecoder.image(PixelSize(width: 10, height: 30))

    private static func request(_ method: String = "GET", _ headers: HTTPHeaderFields = [:]) -> ImageRequest {
        ImageRequest(dataRequest: DataRequest(url: FreshnessFixture.url, method: method, headers: headers))
    }

    private static func fixture(_ headers: HTTPHeaderFields = ["Cache-Control": "max-age=600"]) -> FreshnessFixture {
        FreshnessFixture { _, number in FreshnessFixture.image(10 + number, headers) }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH"])
    func `9111 4_4 An unsafe method removes the stored image everywhere`(method: String) async throws {
        let fixture = Self.fixture()
        #expect(try await fixture.width() == 10)
        #expect(try await fixture.load().cacheType == .memory)
        _ = try await fixture.pipeline.data(for: Self.request(method))
        let changed = try await fixture.load()
        #expect(changed.cacheType == nil && changed.image.size.width == 12)
        fixture.pipeline.cache.removeAll(caches: .memory)
        #expect(try await fixture.width() == 12)
        #expect(fixture.requests.count == 3)
    }

    @Test func `9111 4_4 Without a data cache it removes the image in memory`() async throws {
        let fixture = FreshnessFixture(disk: false) { _, number in
            FreshnessFixture.image(10 + number, ["Cache-Control": "max-age=600"])
        }
        #expect(try await fixture.width() == 10)
        var post = Self.request("POST")
        post.options.insert(.disableDiskCacheWrites)
        _ = try await fixture.pipeline.data(for: post)
        #expect(try await fixture.width() == 12)
    }

    @Test func `9111 4_4 One that fails removes nothing`() async throws {
        let fixture = FreshnessFixture { request, _ in
            request.method == "POST"
                ? SourceResponse(status: 500) : FreshnessFixture.image(10, ["Cache-Control": "max-age=600"])
        }
        _ = try await fixture.load()
        await #expect(throws: ImageLoadingError.self) { try await fixture.pipeline.data(for: Self.request("POST")) }
        #expect(try await fixture.load().cacheType == .memory)
    }

    @Test func `9111 4_4 A load that began before is shown, and stored nowhere`() async throws {
        let fixture = Self.fixture()
        fixture.source.hold()
        let task = fixture.pipeline.imageTask(with: FreshnessFixture.url)
        await fixture.source.wait(forRequests: 1)
        let deliver = fixture.source.takeHeld()
        _ = try await fixture.pipeline.data(for: Self.request("PUT"))
        deliver()
        #expect(try await task.response.image.size.width == 10)
        await fixture.pipeline.flush()
        #expect(try await fixture.load().cacheType == nil)
    }

    @Test(arguments: [("bytes=0-3", 0..<4), ("bytes=5-", 5..<16), ("bytes=-4", 12..<16)])
    func `9111 3_3 A range comes from the stored body`(range: String, bytes: Range<Int>) async throws {
        let fixture = Self.fixture()
        _ = try await fixture.load()
        try #require(Self.body.count == 16)
        let (data, response) = try await fixture.pipeline.data(for: Self.request("GET", ["Range": range]))
        #expect(data == Self.body[bytes] && response?.status == 206)
        #expect(response?.headers["Content-Range"] == "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/16")
        #expect(fixture.requests.count == 1)
    }

    @Test func `A stored part is never taken for the image`() async throws {
        let fixture = FreshnessFixture { request, number in
            var response = FreshnessFixture.image(10, ["Cache-Control": "max-age=600", "ETag": "\"a\""])
            if request.headers["Range"] != nil {
                response.status = 206
                response.headers["Content-Range"] = "bytes 0-15/40"
            }
            return response
        }
        let part = try await fixture.pipeline.data(for: Self.request("GET", ["Range": "bytes=0-15"])).1
        #expect(part?.status == 206)
        await fixture.pipeline.flush()
        let whole = try await fixture.load()
        #expect(whole.cacheType == nil && whole.dataResponse?.status == 200)
        // The part is stored for requests for parts.
        _ = try await fixture.pipeline.data(for: Self.request("GET", ["Range": "bytes=0-3"]))
        #expect(fixture.requests.count == 2)
    }

    @Test func `9111 5_1 A stored response says its age`() async throws {
        let fixture = Self.fixture(["Cache-Control": "max-age=600", "Age": "30"])
        #expect(try await fixture.pipeline.data(for: Self.request()).1?.headers["Age"] == "30")
        await fixture.pipeline.flush()
        fixture.wait(5)
        #expect(try await fixture.pipeline.data(for: Self.request()).1?.headers["Age"] == "35")
        #expect(fixture.requests.count == 1)
    }

    @Test func `5861 3 Stale bytes are served at once, and revalidated meanwhile`() async throws {
        let headers: HTTPHeaderFields = ["Cache-Control": "max-age=10, stale-while-revalidate=60"]
        let cache = ScriptedDataCache()
        let fixture = FreshnessFixture({ $0.dataCache = cache }) { _, number in
            FreshnessFixture.image(10 + number, headers)
        }
        _ = try await fixture.pipeline.data(for: Self.request())
        await fixture.pipeline.flush()
        fixture.wait(20)
        fixture.source.hold()
        let stale = try await fixture.pipeline.data(for: Self.request())
        #expect(stale.0 == Self.body && stale.1?.headers["Age"] == "20")
        await fixture.source.wait(forRequests: 2)
        fixture.source.release()
        await cache.stores.wait { $0.calls.count == 2 }
        let fresh = try await fixture.pipeline.data(for: Self.request())
        #expect(fresh.0 == ScriptedDecoder.image(PixelSize(width: 11, height: 30)) && fresh.1?.headers["Age"] == "0")
        #expect(fixture.requests.count == 2)
    }

    @Test func `9110 9_3_2 A HEAD is served from the stored GET`() async throws {
        let fixture = Self.fixture()
        _ = try await fixture.load()
        let (data, response) = try await fixture.pipeline.data(for: Self.request("HEAD"))
        #expect(data.isEmpty && response?.status == 200 && fixture.requests.count == 1)
    }

    @Test func `Content that is no image is not stored by other methods either`() async throws {
        let source = RespondingLoader { _, number in
            RespondingLoader.Response(headers: ["Cache-Control": "max-age=600"], body: "text \(number)")
        }
        let fixture = FreshnessFixture({ $0.dataLoader = source }) { _, _ in SourceResponse() }
        for number in 0..<2 {
            let (data, _) = try await fixture.pipeline.data(for: Self.request("GET", ["If-None-Match": "\"x\""]))
            #expect(data == Data("text \(number)".utf8))
        }
    }
}
