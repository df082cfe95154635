import FirnData
import FirnHTTP
import FirnImage
import FirnSync
import FoundationEssentials
import Testing

@testable import FirnServe

/// The reports of a loader for one request.
struct LoadedObject: Sendable {
    var responses: [DataResponse] = []
    var body = Data()
    var ends: [DataLoadingError?] = []
    var cause: DataLoadingError.Cause? { ends.first??.cause }

    /// Loads to the end.
    ///
    /// - Parameter act: called after each event, with the transfer.
    static func load(
        _ request: DataRequest, by loader: some DataLoading,
        act: @Sendable (DataEvent, any DataTransfer) -> Void = { _, _ in }
    ) async -> LoadedObject {
        let (events, sender) = AsyncStream<DataEvent>.makeStream()
        let transfer = loader.startLoading(request) { event in
            sender.yield(event)
            if case .end = event { sender.finish() }
        }
        var loaded = LoadedObject()
        for await event in events {
            switch event {
            case .response(let response): loaded.responses.append(response)
            case .chunk(let data): loaded.body += data
            case .end(let error): loaded.ends.append(error)
            }
            act(event, transfer)
        }
        return loaded
    }
}

@Suite struct S3DataLoaderTests {
    private func loader(
        _ server: S3TestServer, maximumBytes: Int = 1000, timeLimit: Duration = .seconds(60),
        credentials: S3CredentialStore? = nil
    ) throws -> S3DataLoader {
        var limits = ImageLimits()
        limits.maximumBytes = maximumBytes
        var configuration = S3DataLoader.transport(limits: limits, timeLimit: timeLimit).configuration
        // On a busy machine a test may take longer than the default until it acts on an event.
        configuration.idleTimeout = .seconds(300)
        return S3DataLoader(
            sources: [try S3Address("s3://bucket/pre?endpoint=http://127.0.0.1:\(server.port)")],
            credentials: try credentials ?? S3CredentialStore(environment: S3TestServer.keys),
            transport: DataLoader(configuration: configuration),
            others: DataLoader(), now: { 0 })
    }

    @Test func `an object is loaded with its validators, under its own address`() async throws {
        let server = try S3TestServer { _ in
            .response(
                200,
                [
                    "ETag: \"1\"", "Last-Modified: Fri, 24 May 2013 00:00:00 GMT", "Content-Type: image/png",
                    "x-amz-id-2: 7",
                ],
                body: "image")
        }
        let loaded = await LoadedObject.load(DataRequest(url: "s3://bucket/pre/a%20b%23.png"), by: try loader(server))
        let response = try #require(loaded.responses.first)
        #expect(response.url == "s3://bucket/pre/a%20b%23.png")
        #expect(response.status == 200)
        #expect(response.expectedLength == 5)
        #expect(response.headers["ETag"] == "\"1\"")
        #expect(response.headers["Last-Modified"] == "Fri, 24 May 2013 00:00:00 GMT")
        #expect(response.headers["x-amz-id-2"] == nil)
        #expect(loaded.body == Data("image".utf8))
        #expect(loaded.ends == [nil])
        let head = try #require(server.requests.first).head
        #expect(head.hasPrefix("GET /bucket/pre/a%20b%23.png HTTP/1.1\r\n"))
        #expect(head.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date, "))
        #expect(head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("host:") }.count == 1)
    }

    @Test func `ranges and conditions are passed on, other fields are not`() async throws {
        let server = try S3TestServer { request in
            guard request.head.contains("If-None-Match: \"1\"\r\n") else {
                return .response(206, ["Content-Range: bytes 2-4/5"], body: "age")
            }
            return .bytes(Array("HTTP/1.1 304 Same\r\nConnection: close\r\n\r\n".utf8))
        }
        let loader = try loader(server)
        var request = DataRequest(url: "s3://bucket/pre/x", headers: ["If-None-Match": "\"1\"", "Cookie": "c"])
        let same = await LoadedObject.load(request, by: loader)
        #expect(same.responses.map(\.status) == [304])
        #expect(same.ends == [nil])
        request.headers = ["Range": "bytes=2-", "If-Range": "\"1\"", "Authorization": "mine"]
        let part = await LoadedObject.load(request, by: loader)
        #expect(part.responses.map(\.status) == [206])
        #expect(part.body == Data("age".utf8))
        let heads = server.requests.map(\.head)
        #expect(heads.allSatisfy { !$0.contains("Cookie") && !$0.contains("mine") })
        #expect(heads.last?.contains("Range: bytes=2-\r\n") == true)
        #expect(heads.last?.contains("If-Range: \"1\"\r\n") == true)
    }

    @Test(arguments: [
        (403, "<Code>AccessDenied</Code>", "403 AccessDenied"), (404, "<Code>NoSuchKey</Code>", "404 NoSuchKey"),
        (503, "no <<xml>", "responded with 503"), (500, "", "responded with 500"),
    ])
    func `an error is reported as its status, without a body`(status: Int, body: String, words: String) async throws {
        let server = try S3TestServer { _ in .response(status, ["Retry-After: 7"], body: body) }
        let loaded = await LoadedObject.load(DataRequest(url: "s3://bucket/pre/x"), by: try loader(server))
        #expect(loaded.responses.isEmpty)
        #expect(loaded.body.isEmpty)
        #expect(loaded.ends.count == 1)
        #expect(loaded.cause == .status(status))
        let error = loaded.ends.first ?? nil
        #expect(error?.message.contains(words) == true)
        #expect(error?.retryAfter == .seconds(7))
    }

    @Test func `a redirect is not followed, and names the region`() async throws {
        let other = try S3TestServer { _ in .response(200, body: "secret") }
        let server = try S3TestServer { _ in
            .response(301, ["Location: http://127.0.0.1:\(other.port)/x", "x-amz-bucket-region: eu-west-3"])
        }
        let loaded = await LoadedObject.load(DataRequest(url: "s3://bucket/pre/x"), by: try loader(server))
        #expect(loaded.cause == .status(301))
        #expect(loaded.ends.first??.message.contains("set region=eu-west-3") == true)
        #expect(other.requests.isEmpty)
    }

    @Test(arguments: [
        ("s3://bucket/other/x", DataLoadingError.Cause.forbidden), ("s3://third/pre/x", .forbidden),
        ("s3://bucket/pre/a b", .badAddress), ("s3://bucket/pre/../x", .badAddress), ("s3:bucket", .badAddress),
    ])
    func `an object that is not allowed is not requested`(url: String, cause: DataLoadingError.Cause) async throws {
        let server = try S3TestServer { _ in .response(200, body: "secret") }
        let loaded = await LoadedObject.load(DataRequest(url: url), by: try loader(server))
        #expect(loaded.cause == cause)
        #expect(loaded.ends.count == 1)
        #expect(server.requests.isEmpty)
    }

    @Test func `other schemes go to the other loader`() async throws {
        let server = try S3TestServer { _ in .response(200, body: "web") }
        let loaded = await LoadedObject.load(
            DataRequest(url: "http://127.0.0.1:\(server.port)/x"), by: try loader(server))
        #expect(loaded.body == Data("web".utf8))
        #expect(server.requests.first?.head.contains("x-amz") == false)
    }

    @Test func `limits of size and time, and a cut body, end the transfer`() async throws {
        let request = DataRequest(url: "s3://bucket/pre/x")
        let large = try S3TestServer { _ in .held(S3TestServer.Reply.head(200, length: 1001)) }
        #expect(await LoadedObject.load(request, by: try loader(large)).cause == .tooLarge(limit: 1000))
        let silent = try S3TestServer { _ in .held([]) }
        let limited = try loader(silent, timeLimit: .milliseconds(200))
        #expect(await LoadedObject.load(request, by: limited).cause == .timeout)
        let cut = try S3TestServer { _ in .bytes(S3TestServer.Reply.head(200, length: 9) + [1]) }
        #expect(await LoadedObject.load(request, by: try loader(cut)).cause == .truncated)
    }

    @Test func `a cancelled transfer has one end, in the body and before the credentials`() async throws {
        let request = DataRequest(url: "s3://bucket/pre/x")
        let server = try S3TestServer { _ in .held(S3TestServer.Reply.head(200, length: 9) + [1]) }
        let loaded = await LoadedObject.load(request, by: try loader(server)) { event, transfer in
            if case .chunk = event { transfer.cancel() }
        }
        #expect(loaded.ends == [DataLoadingError(.cancelled, "the transfer was cancelled")])

        let keys = try S3TestServer { _ in .held([]) }
        let waiting = try S3CredentialStore(
            environment: ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:\(keys.port)/"])
        let (ends, ended) = AsyncStream<DataLoadingError?>.makeStream()
        let transfer = try loader(server, credentials: waiting).startLoading(request) { event in
            if case .end(let error) = event { ended.yield(error) }
        }
        transfer.cancel()
        transfer.cancel()
        #expect(await ends.first { _ in true }??.cause == .cancelled)
        #expect(server.requests.count == 1)
    }

    @Test func `a paused transfer receives nothing more until it is resumed`() async throws {
        let length = 8 << 20
        let server = try S3TestServer { _ in
            .bytes(S3TestServer.Reply.head(200, length: length) + [UInt8](repeating: 7, count: length))
        }
        let isPaused = Locked(false)
        let violations = Locked(0)
        let (events, sender) = AsyncStream<DataEvent>.makeStream()
        let holder = Locked<(any DataTransfer)?>(nil)
        let transfer = try loader(server, maximumBytes: length).startLoading(
            DataRequest(url: "s3://bucket/pre/x")
        ) { event in
            if isPaused.withLock({ $0 }), case .chunk = event { violations.withLock { $0 += 1 } }
            // The pause takes effect at once, since it is called by the receiver.
            if case .chunk = event, let transfer = holder.withLock({ $0 }) {
                isPaused.withLock { $0 = true }
                transfer.pause()
            }
            sender.yield(event)
            if case .end = event { sender.finish() }
        }
        holder.withLock { $0 = transfer }
        var count = 0
        for await event in events {
            guard case .chunk(let data) = event else { continue }
            count += data.count
            isPaused.withLock { $0 = false }
            transfer.resume()
        }
        holder.withLock { $0 = nil }
        #expect(count == length)
        #expect(violations.withLock { $0 } == 0)
    }
}
