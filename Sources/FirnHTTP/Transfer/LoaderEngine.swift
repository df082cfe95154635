import FirnData
import NIOCore

/// The started part of a loader: its clients, the event loop that all its transfers run on, and the places per host.
///
/// Kept alive by the loader and by every transfer under way; the last one to go closes the connections.
final class LoaderEngine: @unchecked Sendable {
    let settings: LoaderConfiguration
    let allowance: ResponsePolicy.Allowance
    let redirects: RedirectChain
    /// One loop for everything, so that a transfer's parts never race and nothing hops between threads.
    let eventLoop: any EventLoop
    let registry: ConnectionRegistry
    let router: Router
    let idleChecks: IdleChecks
    // Safety: these are touched on `eventLoop` only.
    var slots: HostSlots<Origin, HTTPTransfer>
    private var pool: ClientPool

    /// - Throws: ``/FirnData/DataLoadingError/Cause/connection`` if the process has too few descriptors left.
    init(_ settings: LoaderConfiguration) throws(DataLoadingError) {
        // The group of the process: its threads end with it, so a program may leave at any time.
        eventLoop = try EventLoops.next()
        self.settings = settings
        allowance = ResponsePolicy.Allowance(
            acceptsAnyStatus: settings.acceptsAnyStatus, followsRedirects: settings.followsRedirects,
            decompresses: settings.decompresses)
        redirects = RedirectChain(
            limit: settings.redirectLimit, allowsInsecure: settings.allowsInsecureRedirects,
            privateHeaders: settings.privateHeaders)
        idleChecks = IdleChecks(eventLoop)
        slots = HostSlots(limit: settings.transfersPerHost, total: settings.transferLimit)
        let policy = settings.network
        registry = ConnectionRegistry(eventLoop) { address in policy?.refusal(of: address) }
        pool = ClientPool(settings, registry)
        router = Router(settings, eventLoop)
    }

    func client(_ key: ClientKey) throws(DataLoadingError) -> PooledClient { try pool.client(key) }

    /// Gives a place back and starts who waited for it.
    func release(_ origin: Origin) {
        eventLoop.assertInEventLoop()
        guard let next = slots.leave(origin) else { return }
        // Order: after the connection that just became free has gone back to the pool, so that it is used again.
        eventLoop.execute { next.placeTaken() }
    }
}
