import AsyncHTTPClient
import FirnData
import NIOCore
import NIOHTTPCompression
import NIOPosix

/// The started part of a loader: its client, the event loop that all its transfers run on, and the places per host.
///
/// Kept alive by the loader and by every transfer under way; the last one to go closes the connections.
final class Connections: @unchecked Sendable {
    let configuration: DataLoader.Configuration
    let client: HTTPClient
    /// One loop for everything, so that a transfer's parts never race and nothing hops between threads.
    let eventLoop: any EventLoop
    // Safety: `slots` is touched on `eventLoop` only.
    var slots: HostSlots<Origin, Transfer>

    init(_ configuration: DataLoader.Configuration) {
        self.configuration = configuration
        // The group of the process: its threads end with it, so a program may leave at any time.
        let group = MultiThreadedEventLoopGroup.singleton
        eventLoop = group.next()
        slots = HostSlots(limit: configuration.transfersPerHost)

        var settings = HTTPClient.Configuration()
        // Redirects are judged by `RedirectTrail`, idle time by `Transfer`: the client's own read timeout also
        // runs while the receiver holds the sender back.
        settings.redirectConfiguration = .disallow
        settings.timeout = .init(connect: configuration.connectTimeout.timeAmount, read: nil)
        // The size limit counts what comes out of the decompression.
        settings.decompression = configuration.decompresses ? .enabled(limit: .none) : .disabled
        // A failed connection is reported at once, not tried again until the time is over.
        settings.connectionPool.retryConnectionEstablishment = false
        // Paused transfers keep their connections, and waiting for one here would count as connecting.
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = slots.limit.addingClamped(64)
        client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: settings)
    }

    deinit {
        let client = client
        // Order: the client must be shut down before it goes, and lives until it has been.
        client.shutdown().whenComplete { _ in withExtendedLifetime(client) {} }
    }

    /// Gives a place back and starts who waited for it.
    func leave(_ origin: Origin) {
        eventLoop.assertInEventLoop()
        guard let next = slots.leave(origin) else { return }
        // Order: after the connection that just became free has gone back to the pool, so that it is used again.
        eventLoop.execute { next.placeTaken() }
    }
}

extension Duration {
    var timeAmount: TimeAmount { .nanoseconds(max(1, nanoseconds)) }
}

extension Int {
    fileprivate func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
