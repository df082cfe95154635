import FirnCache
import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests how long cached images serve, and how they are revalidated afterwards.
@Suite(.timeLimit(.minutes(5))) struct FreshnessTests {
    private static func tagged(_ width: Int, _ control: String = "max-age=60") -> FreshnessFixture.SourceResponse {
        FreshnessFixture.image(width, ["Cache-Control": control, "ETag": "\"\(width)\""])
    }

    /// Confirms the image of this width; returns `nil` for requests about others.
    private static func confirming(_ width: Int, _ request: DataRequest) -> FreshnessFixture.SourceResponse? {
        guard request.headers["If-None-Match"] == "\"\(width)\"" else { return nil }
        return FreshnessFixture.SourceResponse(
            status: 304, headers: ["ETag": "\"\(width)\"", "Cache-Control": "max-age=1000"])
    }

    @Test(arguments: [true, false])
    func `An image that was loaded while the clock was ahead is checked once the clock is right`(
        memory: Bool
    ) async throws {
        let fixture = FreshnessFixture(memory: memory) { _, number in
            FreshnessFixture.image(10 + number, ["Cache-Control": "max-age=60"])
        }
        fixture.wait(31_536_000)
        #expect(try await fixture.width() == 10)
        #expect(try await fixture.width() == 10)
        fixture.wait(-31_536_000)
        #expect(try await fixture.width() == 11)
        #expect(try await fixture.width() == 11)
    }

    @Test func `A fresh image serves from memory, and a fresh entry from disk, without the source`() async throws {
        let fixture = FreshnessFixture { _, number in Self.tagged(10 + number) }
        #expect(try await fixture.width() == 10)
        fixture.wait(59)
        #expect(try await fixture.load().cacheType == .memory)
        let second = FreshnessFixture(memory: false, files: fixture.files) { _, _ in Self.tagged(99) }
        #expect(try await second.load().cacheType == .disk)
        #expect(fixture.requests.count == 1 && second.requests.isEmpty)
    }

    @Test func `A stale image in memory is no hit, and its source is asked whether it still holds (F15)`()
        async throws
    {
        let fixture = FreshnessFixture { request, _ in Self.confirming(10, request) ?? Self.tagged(10) }
        #expect(try await fixture.width() == 10)
        fixture.wait(60)
        #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: FreshnessFixture.url)) == nil)
        let confirmed = try await fixture.load()
        #expect(confirmed.image.size.width == 10 && !confirmed.isStale && confirmed.cacheType == .disk)
        #expect(fixture.pipeline.statistics.revalidations == 1)
        #expect(fixture.requests.count == 2)
        // The confirmation sets the lifetime, in memory and on disk.
        fixture.wait(900)
        #expect(try await fixture.load().cacheType == .memory)
        fixture.pipeline.cache.removeAll(caches: .memory)
        #expect(try await fixture.load().cacheType == .disk)
        #expect(fixture.requests.count == 2)
    }

    @Test func `A confirmation renews the fields on disk and leaves the bytes`() async throws {
        let fixture = FreshnessFixture { request, _ in Self.confirming(10, request) ?? Self.tagged(10) }
        _ = try await fixture.load()
        let before = try #require(fixture.pipeline.cache.cachedData(for: ImageRequest(url: FreshnessFixture.url)))
        fixture.wait(60)
        _ = try await fixture.load()
        let after = try #require(fixture.pipeline.cache.cachedData(for: ImageRequest(url: FreshnessFixture.url)))
        #expect(after.data == before.data)
        #expect(before.headers["Cache-Control"] == "max-age=60" && after.headers["Cache-Control"] == "max-age=1000")
        #expect(StoredResponse(after)?.times.responded == (Caching.start + 60) * Caching.second)
    }

    @Test func `A new image takes the place of a stale one, in memory and on disk (F15)`() async throws {
        let fixture = FreshnessFixture { _, number in Self.tagged(10 + number) }
        _ = try await fixture.load()
        fixture.wait(60)
        #expect(try await fixture.width() == 11)
        #expect(fixture.requests.last?.headers["If-None-Match"] == "\"10\"")
        let second = FreshnessFixture(memory: false, files: fixture.files) { _, _ in
            FreshnessFixture.SourceResponse(status: 304)
        }
        #expect(try await second.width() == 11)
    }

    @Test func `A subscriber receives the stale image at once, and the task ends once with the new one`() async throws {
        for memory in [true, false] {
            let fixture = FreshnessFixture(memory: memory) { _, number in
                Self.tagged(10 + number, "max-age=60, stale-while-revalidate=600")
            }
            _ = try await fixture.load()
            fixture.wait(61)
            fixture.source.hold()
            let task = fixture.pipeline.imageTask(with: FreshnessFixture.url)
            var seen: [String] = []
            for await event in task.events {
                switch event {
                case .preview(let preview):
                    seen.append("preview \(preview.image.size.width) \(preview.isStale)")
                    fixture.source.release()
                case .finished(.success(let response)):
                    seen.append("end \(response.image.size.width) \(response.isStale)")
                default: break
                }
            }
            #expect(seen == ["preview 10 true", "end 11 false"], "memory \(memory)")
        }
    }

    @Test(arguments: [100, 2])
    func `A stale preview is made only while there is memory for its decode`(megabytes: Int) async throws {
        let decoder = ScriptedDecoder(bytesPerDecode: 3 << 20)
        let fixture = FreshnessFixture(memory: false, decoder: decoder) {
            $0.scheduling.decodingMemoryLimit = megabytes << 20
        } _: { _, number in
            Self.tagged(10 + number, "max-age=60, stale-while-revalidate=600")
        }
        _ = try await fixture.load()
        fixture.wait(61)
        fixture.source.hold()
        var seen: [String] = []
        let events = fixture.pipeline.imageTask(with: FreshnessFixture.url).events
        // The cached bytes have been examined. If they are decoded, the source responds after they were shown.
        await decoder.sessions.wait { $0.calls.count == 2 }
        if megabytes < 3 { fixture.source.release() }
        for await event in events {
            switch event {
            case .preview:
                seen.append("preview")
                fixture.source.release()
            case .finished(let result): seen.append("\(try result.get().image.size.width)")
            case .progress: break
            }
        }
        #expect(seen == (megabytes > 3 ? ["preview", "11"] : ["11"]))
        #expect(await fixture.pipeline.snapshot().decodingBytes == 0)
    }

    @Test func `A response that forbids stale use is not shown stale`() async throws {
        let fixture = FreshnessFixture { _, number in Self.tagged(10 + number, "max-age=60, must-revalidate") }
        _ = try await fixture.load()
        fixture.wait(61)
        var previews = 0
        for await event in fixture.pipeline.imageTask(with: FreshnessFixture.url).events {
            if case .preview = event { previews += 1 }
        }
        #expect(previews == 0)
        #expect(fixture.requests.count == 2)
    }

    @Test(arguments: [DataLoadingError.Cause.connection, .timeout, .status(500), .status(503)])
    func `A stale image serves if its source fails, is marked, and delays the next check`(
        cause: DataLoadingError.Cause
    ) async throws {
        let fixture = FreshnessFixture { _, number in
            guard number > 0 else { return Self.tagged(10) }
            return FreshnessFixture.SourceResponse(end: DataLoadingError(cause, "failed"))
        }
        _ = try await fixture.load()
        fixture.wait(60)
        let stale = try await fixture.load()
        #expect(stale.isStale && stale.image.size.width == 10)
        #expect(fixture.pipeline.statistics.staleHits == 1)
        #expect(try await fixture.load().cacheType == .memory)
        #expect(fixture.requests.count == 2)
        fixture.wait(10)
        #expect(try await fixture.load().isStale)
        #expect(fixture.requests.count == 3)
    }

    @Test(arguments: ["max-age=60, must-revalidate", "max-age=60, stale-if-error=0", "no-cache"])
    func `The task fails if a stale image must not serve`(control: String) async throws {
        let fixture = FreshnessFixture { _, number in
            number == 0 ? Self.tagged(10, control) : FreshnessFixture.SourceResponse(status: 503)
        }
        _ = try await fixture.load()
        fixture.wait(61)
        await #expect(throws: ImageLoadingError.self) { try await fixture.load() }
    }

    @Test func `A removed image is not shown in its place`() async throws {
        let fixture = FreshnessFixture { _, number in
            number == 0 ? Self.tagged(10) : FreshnessFixture.SourceResponse(status: 410)
        }
        _ = try await fixture.load()
        fixture.wait(61)
        await #expect(throws: ImageLoadingError.self) { try await fixture.load() }
    }

    @Test func `A no-store response enters neither the disk cache nor the memory cache`() async throws {
        let fixture = FreshnessFixture { _, number in Self.tagged(10 + number, "no-store, max-age=60") }
        #expect(try await fixture.width() == 10)
        #expect(fixture.files.files.isEmpty)
        #expect(try await fixture.width() == 11)
    }

    @Test func `A response that must not be stored removes the stored one`() async throws {
        let fixture = FreshnessFixture { _, number in Self.tagged(10 + number, number == 0 ? "max-age=60" : "no-store")
        }
        _ = try await fixture.load()
        #expect(fixture.files.files.count == 1)
        fixture.wait(60)
        #expect(try await fixture.width() == 11)
        #expect(fixture.files.files.isEmpty)
    }

    @Test func `Without a data cache a stale image is loaded again`() async throws {
        let fixture = FreshnessFixture(disk: false) { _, number in Self.tagged(10 + number) }
        #expect(try await fixture.width() == 10)
        fixture.wait(59)
        #expect(try await fixture.width() == 10)
        fixture.wait(1)
        #expect(try await fixture.width() == 11)
        #expect(fixture.requests.last?.headers["If-None-Match"] == nil)
    }

    @Test func `A source that says nothing is believed for five minutes, one without HTTP forever`() async throws {
        let fixture = FreshnessFixture { _, number in FreshnessFixture.image(10 + number) }
        _ = try await fixture.load()
        fixture.wait(299)
        #expect(try await fixture.width() == 10)
        fixture.wait(1)
        #expect(try await fixture.width() == 11)
    }

    /// Expects that an image still serves after a long time, from memory and from disk.
    private func expectUnlimited(
        _ fixture: FreshnessFixture, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        _ = try await fixture.load()
        fixture.wait(1_000_000)
        #expect(try await fixture.load().cacheType == .memory, sourceLocation: sourceLocation)
        fixture.pipeline.cache.removeAll(caches: .memory)
        #expect(try await fixture.load().cacheType == .disk, sourceLocation: sourceLocation)
    }

    @Test func `A freshness of forever is never checked again, set by the pipeline or the request`() async throws {
        let forever = FreshnessFixture {
            $0.freshness = .unlimited
        } _: { _, number in
            Self.tagged(10 + number)
        }
        try await expectUnlimited(forever)

        let fixture = FreshnessFixture { _, number in Self.tagged(10 + number) }
        _ = try await fixture.load()
        fixture.wait(1_000_000)
        var request = ImageRequest(url: FreshnessFixture.url)
        request.freshness = .unlimited
        #expect(try await fixture.load(request).image.size.width == 10)
        #expect(try await fixture.width() == 11)
    }

    @Test func `A limit of the program overrides the source's freshness`() async throws {
        let fixture = FreshnessFixture {
            $0.freshness = .limited(.seconds(10))
        } _: { request, _ in
            Self.confirming(10, request) ?? Self.tagged(10, "max-age=0")
        }
        _ = try await fixture.load()
        fixture.wait(9)
        #expect(try await fixture.load().cacheType == .memory)
        fixture.wait(1)
        _ = try await fixture.load()
        #expect(fixture.requests.count == 2)
        fixture.wait(9)
        fixture.pipeline.cache.removeAll(caches: .memory)
        #expect(try await fixture.load().cacheType == .disk)
        #expect(fixture.requests.count == 2)
    }

    @Test func `A request that may not load gets the cached image, stale or not`() async throws {
        for memory in [true, false] {
            let fixture = FreshnessFixture(memory: memory) { _, _ in Self.tagged(10) }
            _ = try await fixture.load()
            fixture.wait(1000)
            let request = ImageRequest(url: FreshnessFixture.url, options: .returnCacheDataDontLoad)
            let response = try await fixture.load(request)
            #expect(response.image.size.width == 10)
            #expect(response.isStale == !memory)
            #expect(fixture.requests.count == 1)
        }
    }

    @Test func `A reload sends no conditions and stores the response`() async throws {
        let fixture = FreshnessFixture { _, number in Self.tagged(10 + number) }
        _ = try await fixture.load()
        let reload = ImageRequest(url: FreshnessFixture.url, options: .reloadIgnoringCachedData)
        #expect(try await fixture.load(reload).image.size.width == 11)
        #expect(fixture.requests.last?.headers["If-None-Match"] == nil)
        #expect(try await fixture.width() == 11)
    }

    @Test func `Processed images and other sizes are as fresh as what they were made of`() async throws {
        let counter = Counter()
        let blur = CountingProcessor(identifier: "blur", counter: counter, forgets: true)
        let fixture = FreshnessFixture { _, number in Self.tagged(10 + number) }
        let plain = ImageRequest(url: FreshnessFixture.url)
        let processed = ImageRequest(url: FreshnessFixture.url, processors: [blur])
        _ = try await fixture.load(processed)
        _ = try await fixture.load(plain)
        fixture.wait(60)
        #expect(try await fixture.load(processed).image.size.width == 11)
        #expect(try await fixture.load(plain).image.size.width == 11)
        #expect(fixture.requests.count == 2)
    }

    @Test func `A request for the bytes is confirmed like one for the image`() async throws {
        let fixture = FreshnessFixture { request, _ in Self.confirming(10, request) ?? Self.tagged(10) }
        let (first, _) = try await fixture.pipeline.data(for: ImageRequest(url: FreshnessFixture.url))
        await fixture.pipeline.flush()
        fixture.wait(60)
        let (second, response) = try await fixture.pipeline.data(for: ImageRequest(url: FreshnessFixture.url))
        #expect(first == second)
        #expect(response?.status == 200 && response?.headers["Cache-Control"] == "max-age=1000")
        #expect(fixture.requests.count == 2)
    }

    @Test func `A pipeline without a policy keeps forever and sends no conditions`() async throws {
        let fixture = FreshnessFixture {
            $0.httpCachePolicy = nil
        } _: { _, number in
            Self.tagged(10 + number)
        }
        try await expectUnlimited(fixture)
        #expect(fixture.requests.count == 1)
    }

    @Test func `Requests with different bodies share nothing`() async throws {
        let fixture = FreshnessFixture { request, _ in Self.tagged(request.body?.count ?? 9) }
        func request(_ body: String) -> ImageRequest {
            ImageRequest(dataRequest: DataRequest(url: FreshnessFixture.url, method: "POST", body: Data(body.utf8)))
        }
        #expect(try await fixture.load(request("12")).image.size.width == 2)
        #expect(try await fixture.load(request("123")).image.size.width == 3)
    }
}
