import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix

/// The HTTP client that the loader is built on, used directly with the loader's settings.
final class BareClient: Sendable {
    private let client: HTTPClient
    private let eventLoop: any EventLoop

    init() {
        var settings = HTTPClient.Configuration()
        settings.redirectConfiguration = .disallow
        settings.decompression = .enabled(limit: .none)
        settings.connectionPool.retryConnectionEstablishment = false
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 70
        client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: settings)
        eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    }

    func shutdown() async { try? await client.shutdown() }

    /// Collects a body as it arrives.
    private final class Collector: HTTPClientResponseDelegate, @unchecked Sendable {
        // Safety: accessed on the event loop only.
        private var chunks: [Data] = []
        private var status = 0

        func didReceiveHead(task: HTTPClient.Task<Int>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
            status = Int(head.status.code)
            return task.eventLoop.makeSucceededVoidFuture()
        }

        func didReceiveBodyPart(task: HTTPClient.Task<Int>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
            chunks.append(buffer.withUnsafeReadableBytes { Data($0) })
            return task.eventLoop.makeSucceededVoidFuture()
        }

        func didFinishRequest(task: HTTPClient.Task<Int>) throws -> Int {
            status == 200 ? chunks.reduce(0) { $0 + $1.count } : 0
        }
    }

    /// Loads an address; calls `done` with the length of the body.
    func load(_ url: String, _ done: @escaping @Sendable (Int) -> Void) {
        let fields: HTTPHeaders = [
            "User-Agent": "Firn/0.1.0",
            "Accept": "image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8,*/*;q=0.5",
        ]
        guard let request = try? HTTPClient.Request(url: url, headers: fields) else { return done(0) }
        client.execute(request: request, delegate: Collector(), eventLoop: .delegate(on: eventLoop))
            .futureResult.whenComplete { done((try? $0.get()) ?? 0) }
    }
}
