import FirnSync

/// The running part of a loader: its connections and its slots per host.
///
/// Retained by the loader and by every running transfer; its release closes the connections.
///
/// Safety: all mutable state is used on the network thread only.
final class LoaderEngine: @unchecked Sendable {
    let settings: LoaderConfiguration
    let redirects: RedirectChain
    /// The thread of all transfers, so that parts of a transfer never race and events never change threads.
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
        tls = try TLSMaterial(settings)
        self.settings = settings
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
        // Order: after the libcurl call in which the last transfer may have ended.
        thread.execute { for pool in pools { pool.close() } }
    }

    /// The connections for requests that a policy must allow, or for all others.
    func pool(isGuarded: Bool) -> ConnectionPool { isGuarded ? guarded : open }

    /// Returns why a connection to an address is forbidden; `nil` if it is allowed.
    func refusal(of address: NetworkAddress, within limits: TransferGuard) -> DataLoadingError? {
        settings.network?.refusal(of: address) ?? limits.refusal(of: address)
    }

    /// Releases a slot and starts the next transfer.
    func release(_ origin: Origin) {
        guard let next = slots.leave(origin) else { return }
        // Order: after the freed connection has returned to the pool, so it can be reused.
        thread.execute { next.slotAcquired() }
    }
}

/// Ends transfers that receive too little for too long. All transfers of a loader share one timer: nearly all end long
/// before their deadlines, and a timer each would cost more than the rest of a small transfer's bookkeeping.
///
/// Invariant: the timer fires no later than the earliest deadline of the watched transfers.
///
/// Safety: used on the network thread only.
final class IdleChecks: @unchecked Sendable {
    private let thread: NetworkThread
    private var watched: [ObjectIdentifier: HTTPTransfer] = [:]
    private var timer: (deadline: Int64, ticket: TimerQueue.Ticket)?

    init(_ thread: NetworkThread) { self.thread = thread }

    /// Starts checking a transfer's deadline.
    func watch(_ transfer: HTTPTransfer) {
        watched[ObjectIdentifier(transfer)] = transfer
        if let deadline = transfer.deadline { check(by: deadline) }
    }

    func leave(_ transfer: HTTPTransfer) { watched[ObjectIdentifier(transfer)] = nil }

    private func check(by deadline: Int64) {
        if let timer {
            guard deadline < timer.deadline else { return }
            thread.cancel(timer.ticket)
        }
        // Weak: the timer outlives the last transfer and must not keep connections open.
        timer = (deadline, thread.schedule(at: deadline) { [weak self] in self?.checkAll() })
    }

    private func checkAll() {
        timer = nil
        let now = MonotonicClock.now()
        // A copy, since a transfer past its deadline removes itself.
        for transfer in Array(watched.values) {
            guard let deadline = transfer.deadline else { continue }
            if deadline <= now { transfer.endForTimeout(now) } else { check(by: deadline) }
        }
    }
}
