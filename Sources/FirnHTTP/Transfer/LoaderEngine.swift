import FirnData
import NIOCore

/// The running part of a loader: its clients, the event loop of all its transfers, and the slots for each host.
///
/// The loader and every running transfer retain it; its release closes the connections.
///
/// Safety: `eventLoop` guards all mutable state: only calls on that loop read or change it.
final class LoaderEngine: @unchecked Sendable {
    let settings: LoaderConfiguration
    let allowance: ResponsePolicy.Allowance
    let redirects: RedirectChain
    /// One loop for everything, so that the parts of a transfer never race and no event changes threads.
    let eventLoop: any EventLoop
    let registry: ConnectionRegistry
    let router: Router
    let idleChecks: IdleChecks
    // Safety: used on `eventLoop` only.
    var slots: HostSlots<Origin, HTTPTransfer>
    private var pool: ClientPool

    /// - Throws: ``/FirnData/DataLoadingError/Cause/connection`` if the process has too few free descriptors.
    init(_ settings: LoaderConfiguration) throws(DataLoadingError) {
        // The process' group: its threads end with the process, so a program may exit at any time.
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

    /// Releases a slot and starts the next transfer with it.
    func release(_ origin: Origin) {
        eventLoop.assertInEventLoop()
        guard let next = slots.leave(origin) else { return }
        // Order: after the freed connection has returned to the pool, so that it is reused.
        eventLoop.execute { next.slotAcquired() }
    }
}
