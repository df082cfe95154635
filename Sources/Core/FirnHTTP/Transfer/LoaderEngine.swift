import FirnData

/// The running part of a loader: its connections, and the slots for each host.
///
/// The loader and every running transfer retain it; its release closes the connections.
///
/// Safety: all mutable state is used on the network thread only.
final class LoaderEngine: @unchecked Sendable {
    let settings: LoaderConfiguration
    let allowance: ResponsePolicy.Allowance
    let redirects: RedirectChain
    /// The thread of everything, so that the parts of a transfer never race and no event changes threads.
    let thread: NetworkThread
    let router: Router
    let idleChecks: IdleChecks
    let tls: TLSMaterial
    // Safety: used on the thread only.
    var slots: HostSlots<Origin, HTTPTransfer>
    private let open: ConnectionPool
    private let guarded: ConnectionPool

    /// - Throws: `connection` if the network thread does not start, `insecure` if a file of the TLS settings cannot be
    ///   read.
    init(_ settings: LoaderConfiguration) throws(DataLoadingError) {
        thread = try NetworkThread.shared()
        tls = try TLSMaterial(settings.tls)
        self.settings = settings
        allowance = ResponsePolicy.Allowance(
            acceptsAnyStatus: settings.acceptsAnyStatus, followsRedirects: settings.followsRedirects,
            decompresses: settings.decompresses)
        redirects = RedirectChain(
            limit: settings.redirectLimit, allowsInsecure: settings.allowsInsecureRedirects,
            privateHeaders: settings.privateHeaders)
        idleChecks = IdleChecks(thread)
        slots = HostSlots(limit: settings.transfersPerHost ?? 6, total: settings.transferLimit)
        router = Router(settings, thread)
        open = ConnectionPool(thread)
        guarded = ConnectionPool(thread)
    }

    deinit {
        let pools = [open, guarded]
        // Order: after the call of libcurl in which the last transfer may have ended.
        thread.execute { for pool in pools { pool.close() } }
    }

    /// The connections of requests for which a policy has to allow the address, or of the others.
    func pool(isGuarded: Bool) -> ConnectionPool { isGuarded ? guarded : open }

    /// Returns why a connection to an address is forbidden; `nil` if it is allowed.
    func refusal(of address: NetworkAddress, within limits: TransferGuard) -> DataLoadingError? {
        settings.network.allRequests?.refusal(of: address) ?? limits.refusal(of: address)
    }

    /// Releases a slot and starts the next transfer with it.
    func release(_ origin: Origin) {
        guard let next = slots.leave(origin) else { return }
        // Order: after the freed connection has returned to the pool, so that it is reused.
        thread.execute { next.slotAcquired() }
    }
}
