import CFirnCurl
import FirnSync

/// The connections of a loader's guarded or unguarded requests, and the exchanges that use them.
///
/// Safety: used on the network thread only.
final class ConnectionPool: @unchecked Sendable {
    /// The maximum number of host names whose addresses libcurl keeps.
    private static let knownLimit = 256
    /// The maximum number of bytes that libcurl buffers for paused streams.
    private static let heldLimit = 8 << 20
    /// The maximum number of connections, used and idle.
    private static let connectionLimit = 4096

    let thread: NetworkThread
    private var multi: OpaquePointer?
    private var number: UInt32 = 0
    /// The time of the next call that needs no descriptor event; `nil` if none is due.
    private(set) var deadline: Int64?
    /// The descriptors that libcurl watches.
    private var watched: Set<Int32> = []
    /// The next check for forgotten connections, and the silence before it; `nil` if none is due.
    private var check: (ticket: TimerQueue.Ticket, patience: Int64)?
    /// The timer that ends a descriptor shortage; `nil` if there is none.
    private var shortage: TimerQueue.Ticket?
    /// True during a call of libcurl, when libcurl must not be called in turn, except to return results.
    private var isInside = false
    private var isSettling = false
    private var running: [ObjectIdentifier: Exchange] = [:]
    private var waiting: [Exchange] = []
    private var dropped: [Exchange] = []
    private var changed: [Exchange] = []
    /// The held-back streams, whose bytes libcurl buffers.
    private var held: [ObjectIdentifier: Exchange] = [:]
    /// The addresses that libcurl knows for each host and port.
    private var known: [String: [NetworkAddress]] = [:]
    /// Servers with HTTP/1.1 over TLS: their connections carry one request at a time.
    private var plainOrigins: Set<Origin> = []
    /// Servers that went silent on a connection, and the times until which their requests get new connections. By then,
    /// all requests on a dead connection have ended, and closed it.
    private var silentOrigins: [Origin: Int64] = [:]

    init(_ thread: NetworkThread) { self.thread = thread }

    /// Closes all connections. Running exchanges end without an event.
    func close() {
        for exchange in running.values { exchange.free() }
        running = [:]
        guard let multi else { return }
        firn_curl_multi_free(multi)
        self.multi = nil
        (deadline, known) = (nil, [:])
        thread.leave(number)
    }

    /// Closes all connections if none is in use.
    func closeIfIdle() {
        if running.isEmpty, !isInside, !isSettling { close() }
    }

    // MARK: Exchanges

    /// Starts an exchange, immediately unless libcurl is calling.
    func start(_ exchange: Exchange) {
        guard !isInside else { return waiting.append(exchange) }
        guard exchange.isWanted else { return }
        guard let multi = opened(), exchange.begin(multi, self) else { return exchange.fail() }
        running[ObjectIdentifier(exchange)] = exchange
    }

    /// Ends an exchange that is no longer needed.
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

    /// Records that a stream was held back.
    func hold(_ exchange: Exchange) {
        held[ObjectIdentifier(exchange)] = exchange
        suspect()
    }

    func letGo(_ exchange: Exchange) { held[ObjectIdentifier(exchange)] = nil }

    /// Ends the paused streams with the most buffered bytes, until the rest fit. They later resume with the missing
    /// bytes.
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

    /// The maximum number of connections: a third of the free descriptors, which leaves the rest to files, decoders and
    /// other connections.
    private static func connections() -> Int {
        min(connectionLimit, max(4, (FreeDescriptors.limit - FreeDescriptors.used) / 3))
    }

    /// The time that a shortage of descriptors lasts, in nanoseconds.
    private static let shortageTime: Int64 = 5_000_000_000

    /// Opens no further connections for a while: requests wait for existing ones, and idle ones are closed for them.
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

    /// Handles a descriptor's events, or a timeout (`nil`).
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

    /// Passes on all changes of a call of libcurl.
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

    /// The silence before connections are checked: the first value, in nanoseconds, and the maximum.
    private static let patience: ClosedRange<Int64> = 10_000_000...1_000_000_000

    /// Schedules a check of all connections after a short silence. If a stream of HTTP/2 ended early or was paused,
    /// libcurl 7.88 keeps received bytes to itself and stops watching the connection.
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

    /// Returns a host's addresses in libcurl's syntax; `nil` if libcurl already has them.
    func news(of host: String, _ port: Int, _ addresses: [NetworkAddress]) -> String? {
        guard !addresses.isEmpty, NetworkAddress(host) == nil else { return nil }
        let place = "\(host):\(port)"
        guard known[place] != addresses else { return nil }
        if known.count >= ConnectionPool.knownLimit { known = [:] }
        known[place] = addresses
        return "\(place):" + addresses.map(\.bracketed).joined(separator: ",")
    }

    /// Returns whether a request should wait for a connection in progress, since it may carry several requests.
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

/// Host lookups with single-flight and a short cache. Failures are not cached.
///
/// Safety: used on the network thread only.
final class HostLookups: @unchecked Sendable {
    typealias Answer = Result<[NetworkAddress], DataLoadingError>

    /// The lifetime of a result: long enough for a page of images, short enough to follow changes.
    static let lifetime = Duration.seconds(10)
    private static let limit = 256

    private let resolver: any HostResolving
    private let thread: NetworkThread
    private let patience: Duration
    // Safety: the following properties are used on `thread` only.
    private var known: [String: (addresses: [NetworkAddress], until: Int64)] = [:]
    private var waiting: [String: [(Answer) -> Void]] = [:]

    init(_ resolver: any HostResolving, _ thread: NetworkThread, patience: Duration) {
        self.resolver = resolver
        self.thread = thread
        self.patience = patience
    }

    /// Calls `answer` with the addresses of a host; at once if they are cached.
    func find(_ host: String, _ answer: @escaping (Answer) -> Void) {
        if let entry = known[host], entry.until > MonotonicClock.now() { return answer(.success(entry.addresses)) }
        waiting[host, default: []].append(answer)
        guard waiting[host]?.count == 1 else { return }
        let patience = patience
        let deadline = thread.schedule(at: MonotonicClock.now().saturatingAdd(patience.nanoseconds)) {
            self.found(host, .failure(DataLoadingError(.timeout, "the host \(host) was not found within \(patience)")))
        }
        let thread = thread
        resolver.resolve(host) { answer in
            thread.execute {
                thread.cancel(deadline)
                self.found(host, answer)
            }
        }
    }

    /// Moves a responsive address to the front.
    func prefer(_ address: NetworkAddress, of host: String) {
        guard var entry = known[host], let index = entry.addresses.firstIndex(of: address), index > 0 else { return }
        entry.addresses.swapAt(0, index)
        known[host] = entry
    }

    private func found(_ host: String, _ answer: Answer) {
        guard let waiting = waiting.removeValue(forKey: host) else { return }
        if case .success(let addresses) = answer {
            if known.count >= HostLookups.limit { known.removeAll() }
            known[host] = (addresses, MonotonicClock.now() + HostLookups.lifetime.nanoseconds)
        }
        for receive in waiting { receive(answer) }
    }
}
