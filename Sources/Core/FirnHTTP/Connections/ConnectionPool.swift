import CFirnCurl
import FirnData
import FirnSync
import FirnSystem

/// The connections of a loader's guarded requests, or of its others, and the exchanges that use them.
///
/// Safety: used on the network thread only.
final class ConnectionPool: @unchecked Sendable {
    /// The most names whose addresses libcurl keeps.
    private static let knownLimit = 256
    /// The most bytes that libcurl keeps for paused streams.
    private static let heldLimit = 8 << 20
    /// The most connections, used and idle.
    private static let connectionLimit = 4096

    let thread: NetworkThread
    private var multi: OpaquePointer?
    private var number: UInt32 = 0
    /// The moment of the next call without a descriptor; `nil` for none.
    private(set) var deadline: Int64?
    /// The descriptors that libcurl watches.
    private var watched: Set<Int32> = []
    /// The next look at connections that may have been forgotten, and the silence before it; `nil` if there are none.
    private var check: (ticket: TimerQueue.Ticket, patience: Int64)?
    /// The end of a shortage of descriptors; `nil` if there is none.
    private var shortage: TimerQueue.Ticket?
    /// True if libcurl is calling, which must not be called back then except for what its calls return.
    private var isInside = false
    private var isSettling = false
    private var running: [ObjectIdentifier: Exchange] = [:]
    private var waiting: [Exchange] = []
    private var dropped: [Exchange] = []
    private var changed: [Exchange] = []
    /// The exchanges whose bytes libcurl is told to keep.
    private var held: [ObjectIdentifier: Exchange] = [:]
    /// The addresses that libcurl has of each host and port.
    private var known: [String: [NetworkAddress]] = [:]
    /// Servers that speak HTTP/1.1 over TLS: their connections carry one request at a time.
    private var plainOrigins: Set<Origin> = []
    /// Servers that were silent on a connection, and the moments until which requests to them get connections of their
    /// own. By then the requests that still use a dead connection have ended, and closed it.
    private var silentOrigins: [Origin: Int64] = [:]

    init(_ thread: NetworkThread) { self.thread = thread }

    /// Closes all connections. What still runs ends without an event.
    func close() {
        for exchange in running.values { exchange.free() }
        running = [:]
        guard let multi else { return }
        firn_curl_multi_free(multi)
        self.multi = nil
        (deadline, known) = (nil, [:])
        thread.leave(number)
    }

    /// Closes all connections if none is used.
    func closeIfIdle() {
        if running.isEmpty, !isInside, !isSettling { close() }
    }

    // MARK: Exchanges

    /// Starts an exchange, at once if libcurl is not calling.
    func start(_ exchange: Exchange) {
        guard !isInside else { return waiting.append(exchange) }
        guard exchange.isWanted else { return }
        guard let multi = opened(), exchange.begin(multi, self) else { return exchange.fail() }
        running[ObjectIdentifier(exchange)] = exchange
    }

    /// Ends an exchange that is not needed any more.
    func drop(_ exchange: Exchange) {
        guard !isInside else { return dropped.append(exchange) }
        running[ObjectIdentifier(exchange)] = nil
        exchange.free()
        if exchange.isStream { suspect() }
    }

    /// Records that an exchange has something to pass on.
    func note(_ exchange: Exchange) { changed.append(exchange) }

    /// Continues an exchange that was held back.
    func resume(_ handle: OpaquePointer) {
        enter { firn_curl_resume(handle) }
        settle()
    }

    func hold(_ exchange: Exchange) {
        held[ObjectIdentifier(exchange)] = exchange
        suspect()
    }

    func letGo(_ exchange: Exchange) { held[ObjectIdentifier(exchange)] = nil }

    /// Ends the paused streams for which libcurl keeps the most, until all fit. They go on with the missing bytes.
    private func limitHeld() {
        guard !held.isEmpty else { return }
        var sizes = held.values.compactMap { exchange in exchange.heldBytes().map { (exchange, $0) } }
        var sum = sizes.reduce(0) { $0 + $1.1 }
        guard sum > ConnectionPool.heldLimit else { return }
        sizes.sort { $0.1 > $1.1 }
        for (exchange, size) in sizes where sum > ConnectionPool.heldLimit {
            exchange.park()
            sum -= size
        }
    }

    private func opened() -> OpaquePointer? {
        if let multi { return multi }
        var calls = firn_curl_multi_calls(
            watch: { context, descriptor, events in
                guard let pool = ConnectionPool.of(context) else { return }
                if events == 0 { pool.watched.remove(descriptor) } else { pool.watched.insert(descriptor) }
                pool.thread.watch(descriptor, events, for: pool.number)
            },
            reset: { context, descriptor, isOpen in ConnectionPool.of(context)?.thread.reset(descriptor, isOpen) },
            wake: { context, milliseconds in
                guard let pool = ConnectionPool.of(context) else { return }
                pool.deadline =
                    milliseconds < 0
                    ? nil : MonotonicClock.now().saturatingAdd(Int64(milliseconds).saturatingMultiply(1_000_000))
            })
        // Safety: this pool lives until `close`, which frees the multi.
        multi = firn_curl_multi_new(&calls, Unmanaged.passUnretained(self).toOpaque())
        if let multi {
            number = thread.join(self)
            firn_curl_multi_limit(multi, ConnectionPool.connections())
            if let shortage { thread.cancel(shortage) }
            shortage = nil
        }
        return multi
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> ConnectionPool? {
        context.map { Unmanaged<ConnectionPool>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Descriptors

    /// The most connections: a third of the descriptors that are free, so that files, decoders and the other
    /// connections have the rest.
    private static func connections() -> Int {
        min(connectionLimit, max(4, (FreeDescriptors.limit - FreeDescriptors.used) / 3))
    }

    /// The time that a shortage of descriptors lasts, in nanoseconds.
    private static let shortageTime: Int64 = 5_000_000_000

    /// Makes no more connections than there are, for a while: requests wait for one, and idle ones are closed for them.
    func saveDescriptors() {
        thread.closeIdlePools()
        guard let multi else { return }
        firn_curl_multi_limit(multi, max(1, Int(firn_curl_multi_connections(multi))))
        guard shortage == nil else { return }
        shortage = thread.schedule(at: MonotonicClock.now() + ConnectionPool.shortageTime) { [weak self] in
            self?.shortage = nil
            if let multi = self?.multi { firn_curl_multi_limit(multi, ConnectionPool.connections()) }
        }
    }

    // MARK: Events

    /// Acts on a descriptor's events, or on a time that has come (`nil`).
    func act(_ event: (descriptor: Int32, events: Int32)?) {
        guard let multi else { return }
        if event == nil { deadline = nil } else if check != nil { suspect() }
        enter { firn_curl_multi_act(multi, event?.descriptor ?? -1, event?.events ?? 0) }
        settle()
        limitHeld()
    }

    private func enter(_ work: () -> Void) {
        let wasInside = isInside
        isInside = true
        work()
        isInside = wasInside
    }

    /// Passes on what has changed during a call of libcurl.
    private func settle() {
        guard !isInside, !isSettling, let multi else { return }
        isSettling = true
        defer { isSettling = false }
        while true {
            while let handle = firn_curl_multi_ended(multi) {
                guard let exchange = Exchange.of(firn_curl_context(handle)) else { continue }
                running[ObjectIdentifier(exchange)] = nil
                exchange.ended()
            }
            if let exchange = changed.popLast() {
                exchange.pump()
            } else if let exchange = dropped.popLast() {
                drop(exchange)
            } else if !waiting.isEmpty {
                start(waiting.removeFirst())
            } else {
                return
            }
        }
    }

    // MARK: Forgotten connections

    /// The silence after which connections are looked at: first in nanoseconds, and at most.
    private static let patience: ClosedRange<Int64> = 10_000_000...1_000_000_000

    /// Looks at all connections after a short silence. libcurl 7.88 keeps received bytes of HTTP/2 to itself, and
    /// watches their connection no longer, if a stream of it ended early or was paused.
    private func suspect() { lookLater(after: ConnectionPool.patience.lowerBound) }

    private func lookLater(after patience: Int64) {
        if let check {
            guard check.patience != patience else { return }
            thread.cancel(check.ticket)
        }
        let ticket = thread.schedule(at: MonotonicClock.now() + patience) { [weak self] in self?.lookAtAll(patience) }
        check = (ticket, patience)
    }

    private func lookAtAll(_ patience: Int64) {
        check = nil
        guard let multi, !running.isEmpty else { return }
        enter {
            firn_curl_multi_refresh(multi)
            for descriptor in watched { firn_curl_multi_act(multi, descriptor, 1) }
        }
        settle()
        limitHeld()
        if check == nil { lookLater(after: min(patience * 2, ConnectionPool.patience.upperBound)) }
    }

    // MARK: Hosts

    /// Returns the addresses of a host as libcurl wants to be told; `nil` if it knows them.
    func news(of host: String, _ port: Int, _ addresses: [NetworkAddress]) -> String? {
        guard !addresses.isEmpty, NetworkAddress(host) == nil else { return nil }
        let place = "\(host):\(port)"
        guard known[place] != addresses else { return nil }
        if known.count >= ConnectionPool.knownLimit { known = [:] }
        known[place] = addresses
        return "\(place):" + addresses.map(\.bracketed).joined(separator: ",")
    }

    /// Returns whether a request should wait for a connection that is being made, since it may carry several.
    func mayShare(_ origin: Origin) -> Bool { origin.scheme == "https" && !plainOrigins.contains(origin) }

    func avoidConnections(to origin: Origin, for time: Duration) {
        if silentOrigins.count >= ConnectionPool.knownLimit { silentOrigins = [:] }
        silentOrigins[origin] = MonotonicClock.now().saturatingAdd(time.nanoseconds)
    }

    /// Returns whether a request needs a connection of its own.
    func avoidsConnections(to origin: Origin) -> Bool {
        guard let end = silentOrigins[origin] else { return false }
        if end <= MonotonicClock.now() { silentOrigins[origin] = nil }
        return silentOrigins[origin] != nil
    }

    func recordPlain(_ origin: Origin) {
        if plainOrigins.count >= ConnectionPool.knownLimit { plainOrigins = [] }
        plainOrigins.insert(origin)
    }
}
