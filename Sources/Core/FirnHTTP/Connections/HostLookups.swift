import FirnSync

/// Host lookups with single-flight and a short cache.
///
/// Used on the network thread only. Failures are not cached.
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
