import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnSync
import FirnSystem
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite("Downloads into files, over real sockets", .timeLimit(.minutes(5)))
final class FileDownloadTests: Sendable {
    private let data = LoaderRig.bytes(400_000)
    private let half = 200_000
    private let rig: LoaderRig
    private let pipeline: ImagePipeline
    private let folder: String
    private let file: URL

    init() throws {
        folder = try temporaryFolder("download")
        file = URL(filePath: folder + "/a.bin")
        // Downloads are longer than the limits.
        rig = try LoaderRig { $0.limits.maximumBytes = 1_000 }
        var configuration = ImagePipeline.Configuration(dataLoader: rig.loader, decoders: [])
        configuration.limits.maximumBytes = 1_000
        configuration.retries = DataRetryPolicy()
        configuration.retries.firstDelay = .milliseconds(10)
        configuration.dataCache = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
        pipeline = ImagePipeline(configuration: configuration)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var request: ImageRequest { ImageRequest(url: rig.server.url("/a")) }
    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] }
    private var ranges: [String?] { rig.server.requests.calls.map { $0.headers["Range"] } }
    private let partial = [".a.bin.firn-part", ".a.bin.firn-resume"]

    private func respond(with responses: ScriptedResponse...) { rig.server.respond(to: "/a", with: responses) }

    private func expectFile(_ bytes: Data) throws {
        #expect(try Data(contentsOf: file) == bytes)
        #expect(names == ["a.bin"])
    }

    /// Starts a download, and cancels it once half of the bytes are in the file.
    private func leaveHalf(then next: ScriptedResponse) async throws {
        respond(with: .file(ServedFile(data, gates: [half: Gate()])), next)
        let (steps, feed) = AsyncStream.makeStream(of: ImageTask.Progress.self)
        let task = Task { try await pipeline.download(request, to: file) { feed.yield($0) } }
        for await step in steps where step.completed >= half { break }
        task.cancel()
        await #expect(throws: ImageLoadingError.cancelled) { try await task.value }
        #expect(names == partial)
    }

    /// Returns a response that ends too early.
    private func cut(headers: HTTPHeaderFields = [:]) -> ScriptedResponse {
        .steps([.bytes(data.prefix(half)), .cut], framing: .statedLength(data.count), headers: headers)
    }

    @Test func `A file longer than the limits of images is downloaded, and replaces an older one with its mode`()
        async throws
    {
        respond(with: .file(ServedFile(data)))
        try Data("old".utf8).write(to: file)
        #expect(chmod(file.path, 0o640) == 0)
        let steps = Locked<[ImageTask.Progress]>([])
        let response = try await pipeline.download(request, to: file) { step in steps.withLock { $0.append(step) } }
        try expectFile(data)
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o7777 == 0o640)
        #expect(response?.headers["ETag"] == "\"v1\"")
        let counts = steps.withLock { $0.map(\.completed) }
        #expect(counts == counts.sorted() && counts.last == data.count)
        #expect(steps.withLock { $0.allSatisfy { $0.total == data.count } })
        #expect(rig.server.requests.calls.first?.headers["Accept-Encoding"] == "identity")
    }

    @Test func `The limits of a network policy apply to downloads`() async throws {
        var policy = NetworkPolicy()
        policy.allowsSpecialAddresses = true
        var limits = ImageLimits()
        limits.maximumBytes = 1_000
        policy.limits = limits
        var settings = LoaderRig.patient
        settings.network = policy
        let pipeline = ImagePipeline(
            configuration: .init(dataLoader: DataLoader(configuration: settings), decoders: []))
        respond(with: .file(ServedFile(data)))
        let error = await #expect(throws: ImageLoadingError.self) { try await pipeline.download(request, to: file) }
        #expect(error?.fault == .limit)
        #expect(names.isEmpty)
    }

    @Test func `A download that is cut goes on where it stopped`() async throws {
        respond(with: cut(headers: ["ETag": "\"v1\""]), .file(ServedFile(data)))
        try await pipeline.download(request, to: file)
        try expectFile(data)
        #expect(ranges == [nil, "bytes=\(half)-"])
        #expect(rig.server.requests.calls.last?.headers["If-Range"] == "\"v1\"")
    }

    @Test func `A cancelled download keeps its bytes, and the next one requests the rest`() async throws {
        try await leaveHalf(then: .file(ServedFile(data)))
        try await pipeline.download(request, to: file)
        try expectFile(data)
        #expect(ranges == [nil, "bytes=\(half)-"])
    }

    @Test func `A body that has changed is downloaded completely`() async throws {
        let other = Data(data.reversed())
        try await leaveHalf(then: .file(ServedFile(other, tag: "\"v2\"")))
        try await pipeline.download(request, to: file)
        try expectFile(other)
        #expect(ranges == [nil, "bytes=\(half)-"])
    }

    @Test func `A server that refuses the range is asked for the whole body`() async throws {
        try await leaveHalf(then: .status(416, "Range Not Satisfiable"))
        respond(with: .status(416, "Range Not Satisfiable"), .body(data))
        try await pipeline.download(request, to: file)
        try expectFile(data)
        #expect(ranges == [nil, "bytes=\(half)-", nil])
    }

    @Test func `A server without ranges sends the whole body`() async throws {
        try await leaveHalf(then: .body(data, headers: ["ETag": "\"v1\""]))
        try await pipeline.download(request, to: file)
        try expectFile(data)
        #expect(ranges == [nil, "bytes=\(half)-"])
    }

    @Test(arguments: ["bytes 0-399999/400000", "bytes 200000-399999/500000", nil])
    func `A part other than the requested one is dropped, and the body is requested again`(range: String?) async throws
    {
        var lie = ScriptedResponse.body(Data(repeating: 7, count: half), headers: ["ETag": "\"v1\""])
        lie.status = 206
        lie.headers["Content-Range"] = range
        try await leaveHalf(then: lie)
        respond(with: lie, .file(ServedFile(data)))
        try await pipeline.download(request, to: file)
        try expectFile(data)
        #expect(ranges == [nil, "bytes=\(half)-", nil])
    }

    @Test func `A child process that is starting, with copies of all descriptors, keeps no file locked`() throws {
        let partial = "\(folder)/.a.bin.firn-part"
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        do {
            let bytes = try PartialFile(for: file.path)
            copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
                let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
                return name == partial ? Int32(number).map { fcntl($0, F_DUPFD_CLOEXEC, 0) } : nil
            }
            #expect(throws: DataFileError.self) { try PartialFile(for: file.path) }
            withExtendedLifetime(bytes) {}
        }
        #expect(!copies.isEmpty)
        #expect(try PartialFile(for: file.path).count == 0)
    }

    @Test func `A complete body that a killed process left is confirmed by its last byte`() async throws {
        var response = DataResponse(url: rig.server.url("/a"), status: 200, headers: ["ETag": "\"v1\""])
        response.expectedLength = data.count
        let body = try #require(ResumableBody(response, to: DataRequest(url: response.url)))
        try data.write(to: URL(filePath: "\(folder)/.a.bin.firn-part"))
        try JSONEncoder().encode(body).write(to: URL(filePath: "\(folder)/.a.bin.firn-resume"))
        respond(with: .file(ServedFile(data)))
        try await pipeline.download(request, to: file)
        try expectFile(data)
        #expect(ranges == ["bytes=\(data.count - 1)-"])
    }

    @Test func `Left-over bytes without a valid record are dropped`() async throws {
        try data.write(to: URL(filePath: "\(folder)/.a.bin.firn-part"))
        try Data("{}".utf8).write(to: URL(filePath: "\(folder)/.a.bin.firn-resume"))
        respond(with: .file(ServedFile(Data(data.prefix(1_000)))))
        try await pipeline.download(request, to: file)
        try expectFile(Data(data.prefix(1_000)))
        #expect(ranges == [nil])
    }

    @Test func `Without a validator a failed download leaves the older file and nothing else`() async throws {
        let old = Data("old".utf8)
        try old.write(to: file)
        respond(with: cut())
        let error = await #expect(throws: ImageLoadingError.self) { try await pipeline.download(request, to: file) }
        #expect(error?.fault == .source)
        #expect((error?.underlying as? DataLoadingError)?.cause == .truncated)
        #expect(ranges == [nil, nil, nil])
        try expectFile(old)
    }

    @Test func `A status that fails is the error, and leaves no file`() async throws {
        let error = await #expect(throws: ImageLoadingError.self) { try await pipeline.download(request, to: file) }
        #expect(error?.statusCode == 404)
        #expect(names.isEmpty)
    }

    @Test func `A response without the body leaves an older file`() async throws {
        let old = Data("older".utf8)
        try old.write(to: file)
        respond(with: .status(204, "No Content"), .status(304, "Not Modified"))
        let error = await #expect(throws: ImageLoadingError.self) { try await pipeline.download(request, to: file) }
        #expect(error?.statusCode == 204)
        try expectFile(old)
        let url = rig.server.url("/a")
        let response = try await pipeline.download(
            ImageRequest(dataRequest: DataRequest(url: url, headers: ["If-None-Match": "\"v1\""])), to: file)
        #expect(response?.status == 304)
        try expectFile(old)
    }

    @Test func `A local file is copied, however long it is, and a URL of another machine is refused`() async throws {
        let source = folder + "/source"
        try data.write(to: URL(filePath: source))
        try await pipeline.download(ImageRequest(path: source), to: file)
        #expect(try Data(contentsOf: file) == data)
        let untrusted = await #expect(throws: ImageLoadingError.self) {
            let other = URL(filePath: folder + "/other")
            try await pipeline.download(ImageRequest(path: source, options: .untrustedAddress), to: other)
        }
        #expect(untrusted?.fault == .request && names == ["a.bin", "source"])
        let foreign = try #require(URL(string: "file://server\(file.path)"))
        let error = await #expect(throws: ImageLoadingError.self) {
            try await pipeline.download(ImageRequest(path: source), to: foreign)
        }
        #expect(error?.fault == .request)
    }

    @Test func `A folder that does not exist fails without a request`() async throws {
        let missing = URL(filePath: folder + "/missing/a.bin")
        let error = await #expect(throws: ImageLoadingError.self) { try await pipeline.download(request, to: missing) }
        #expect(error?.fault == .request)
        #expect((error?.underlying as? ImageError)?.fault == .missing)
        #expect(ranges.isEmpty)
    }

    @Test func `A second download to the same file fails, and the first one ends`() async throws {
        let gate = Gate()
        respond(with: .file(ServedFile(data, gates: [half: gate])))
        let task = Task { try await pipeline.download(request, to: file) }
        await rig.server.requests.wait { !$0.calls.isEmpty }
        let error = await #expect(throws: ImageLoadingError.self) { try await pipeline.download(request, to: file) }
        #expect(error?.message == "cannot write: another download is writing it")
        gate.open()
        _ = try await task.value
        try expectFile(data)
        #expect(ranges.count == 1)
    }

    @Test func `The end of the pipeline cancels its downloads and refuses others`() async throws {
        respond(with: .file(ServedFile(data, gates: [half: Gate()])))
        let task = Task { try await pipeline.download(request, to: file) }
        await rig.server.requests.wait { !$0.calls.isEmpty }
        pipeline.invalidate()
        await #expect(throws: ImageLoadingError.cancelled) { try await task.value }
        let error = await #expect(throws: ImageLoadingError.self) { try await pipeline.download(request, to: file) }
        #expect(error?.fault == .pipeline)
    }

    @Test func `A fresh entry of the data cache is copied without a request`() async throws {
        try pipeline.cache.storeCachedData(DataCacheEntry(data: data), for: request)
        try await pipeline.download(request, to: file)
        try expectFile(data)
        #expect(ranges.isEmpty)
    }

    @Test func `A name that fills the limit of the file system can be downloaded to`() async throws {
        respond(with: .file(ServedFile(data)))
        let name = String(repeating: "a", count: 255)
        try await pipeline.download(request, to: URL(filePath: "\(folder)/\(name)"))
        #expect(names == [name])
    }

    @Test func `A load that starts during a download gets its bytes over the same request`() async throws {
        let gate = Gate()
        respond(with: .file(ServedFile(data, gates: [half: gate])))
        let pipeline = ImagePipeline(configuration: .init(dataLoader: rig.loader, decoders: []))
        let (steps, feed) = AsyncStream.makeStream(of: ImageTask.Progress.self)
        let download = Task { try await pipeline.download(request, to: file) { feed.yield($0) } }
        for await step in steps where step.completed >= half { break }
        let load = pipeline.dataTask(with: request)
        for await progress in load.progress where progress.completed >= half { break }
        gate.open()
        #expect(try await load.response.data == data)
        _ = try await download.value
        try expectFile(data)
        #expect(ranges == [nil])
    }

    @Test func `The loader waits while received bytes are not written`() async throws {
        let loader = ScriptedLoader()
        let url = "https://example.org/a"
        loader.respondByHand(to: url)
        let pipeline = ImagePipeline(configuration: .init(dataLoader: loader, decoders: []))
        // The thread that writes calls `progress`, and is stopped there.
        let writing = ThreadParker()
        let (steps, feed) = AsyncStream.makeStream(of: Int.self)
        let task = Task {
            try await pipeline.download(ImageRequest(url: url), to: file) { step in
                feed.yield(step.completed)
                if step.completed == 1 { _ = writing.park(until: nil) }
            }
        }
        let transfer = await loader.waitForRequest(url)
        transfer.respond()
        transfer.send(Data(count: 1))
        for await count in steps where count == 1 { break }
        transfer.send(Data(count: 3 << 20))
        #expect(!transfer.isPaused)
        transfer.send(Data(count: 3 << 20))
        #expect(transfer.isPaused)
        transfer.send(Data(count: 1))
        transfer.finish()
        writing.unpark()
        _ = try await task.value
        #expect(!transfer.isPaused && !transfer.isCancelled)
        try expectFile(Data(count: (6 << 20) + 2))
    }
}
