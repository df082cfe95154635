import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests bodies that the data cache writes while they arrive.
@Suite(.timeLimit(.minutes(5))) final class EarlyStoreTests: Sendable {
    private let folder = FileManager.default.temporaryDirectory.path + "/firn-early-\(UUID())"
    private let loader = ScriptedLoader()
    private let url = "https://example.org/a"
    private let piece = 256 << 10
    private var body: Data { EarlyStoreTests.body }
    /// Each KiB has other bytes than those before it.
    private static let body = (0..<8192).reduce(into: Data("big".utf8)) { body, block in
        body += Data(repeating: UInt8(truncatingIfNeeded: block &* 7 &+ block >> 8), count: 1024)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Recognizes bytes that start with "big", as an image of one pixel.
    private struct Decoder: ImageDecoding {
        private final class Session: ImageDecodingSession {
            private var isOver = false

            func append(_ data: Data) {}
            func finish() { isOver = true }
            func properties() -> ImageProperties? {
                isOver ? ImageProperties(format: ImageFormat(rawValue: "big"), size: PixelSize(1)) : nil
            }
            func workingBytes(for options: DecodingOptions) -> Int { 4 }
            func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
                try Bitmap(size: PixelSize(1)) { _ in }
            }
        }

        func recognizes(_ head: Data) -> ImageFormat? {
            head.starts(with: Data("big".utf8)) ? ImageFormat(rawValue: "big") : nil
        }

        func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession { Session() }
    }

    private func pipeline(_ change: (inout ImagePipeline.Configuration) -> Void = { _ in }) -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [Decoder()])
        configuration.dataCache = DataCache(directory: folder)
        configuration.scheduling.finishesNearlyDoneTransfers = false
        change(&configuration)
        return ImagePipeline(configuration: configuration)
    }

    private func respond(_ transfer: ScriptedTransfer, _ headers: HTTPHeaderFields = [:]) {
        transfer.respond(DataResponse(url: "", status: 200, headers: headers, expectedLength: body.count))
    }

    private func send(_ range: Range<Int>, _ transfer: ScriptedTransfer) {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: piece) {
            transfer.send(Data(body[start..<min(start + piece, range.upperBound)]))
        }
    }

    /// Starts a load, and returns it once most of its bytes have arrived and are on disk.
    private func loadMost(
        _ pipeline: ImagePipeline, _ url: String? = nil
    ) async throws -> (ImageTask, ScriptedTransfer) {
        let url = url ?? self.url
        loader.respondByHand(to: url)
        let task = pipeline.imageTask(with: url)
        let transfer = await loader.waitForRequest(url)
        respond(transfer)
        send(0..<(7 << 20), transfer)
        try await eventually { unnamedBytes(in: folder) >= 6 << 20 }
        return (task, transfer)
    }

    private func count(_ pipeline: ImagePipeline) throws -> Int {
        try #require(pipeline.configuration.dataCache as? DataCache).statistics().count
    }

    @Test func `A long body is on disk before it is complete, and whole after the load`() async throws {
        let pipeline = pipeline()
        let (task, transfer) = try await loadMost(pipeline)
        #expect(try count(pipeline) == 0)
        send((7 << 20)..<body.count, transfer)
        transfer.finish()
        _ = try await task.image
        await pipeline.flush()
        #expect(try DataCache(directory: folder).entry(for: url)?.data == body)
        #expect(unnamedBytes(in: folder) == 0)
        // The header has a fixed length in a file that was begun without it.
        let statistics = try DataCache(directory: folder).statistics()
        #expect(statistics.count == 1 && statistics.bytes == body.count + 4096)
    }

    @Test(arguments: [true, false])
    func `A load that is cancelled or cut leaves no file`(isCancelled: Bool) async throws {
        let pipeline = pipeline { $0.retries = .none }
        let (task, transfer) = try await loadMost(pipeline)
        if isCancelled { task.cancel() } else { transfer.fail(DataLoadingError(.connection, "cut")) }
        await #expect(throws: ImageLoadingError.self) { try await task.image }
        try await eventually { unnamedBytes(in: folder) == 0 }
        #expect(try count(pipeline) == 0)
    }

    @Test func `A body that starts over is stored as it arrived last`() async throws {
        let pipeline = pipeline {
            $0.retries = DataRetryPolicy()
            $0.retries.firstDelay = .zero
        }
        let (task, transfer) = try await loadMost(pipeline)
        transfer.fail(DataLoadingError(.connection, "cut"))
        let again = await loader.waitForRequest(url, number: 2)
        respond(again)
        send(0..<body.count, again)
        again.finish()
        _ = try await task.image
        await pipeline.flush()
        #expect(try DataCache(directory: folder).entry(for: url)?.data == body)
        try await eventually { unnamedBytes(in: folder) == 0 }
    }

    @Test func `A body that no decoder recognizes is not written`() async throws {
        let pipeline = pipeline { $0.decoders = [] }
        loader.respondByHand(to: url)
        let task = pipeline.dataTask(with: ImageRequest(url: url))
        let transfer = await loader.waitForRequest(url)
        respond(transfer)
        send(0..<body.count, transfer)
        transfer.finish()
        #expect(try await task.response.data == body)
        await pipeline.flush()
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `A body that must not be stored is not written`() async throws {
        let pipeline = pipeline { $0.httpCachePolicy = HTTPCachePolicy() }
        loader.respondByHand(to: url)
        let task = pipeline.imageTask(with: url)
        let transfer = await loader.waitForRequest(url)
        respond(transfer, ["Cache-Control": "no-store"])
        send(0..<(7 << 20), transfer)
        // One thread writes in the order of the requests, so the bytes before these would be written, too.
        let other = try await loadMost(pipeline, url + "/other")
        #expect(unnamedBytes(in: folder) < 8 << 20)
        task.cancel()
        other.0.cancel()
        try await eventually { unnamedBytes(in: folder) == 0 }
    }

    @Test func `A body that is already complete is written only after the load`() async throws {
        let pipeline = pipeline()
        loader.respondByHand(to: url)
        let task = pipeline.imageTask(with: url)
        let transfer = await loader.waitForRequest(url)
        respond(transfer)
        transfer.send(body)
        #expect(!FileManager.default.fileExists(atPath: folder))
        transfer.finish()
        _ = try await task.image
        await pipeline.flush()
        #expect(try count(pipeline) == 1)
    }
}
