import FirnSync

/// Where a server is between its start and its end.
final class ServerState: Sendable {
    private let draining = Locked(false)
    let started = ContinuousClock.now

    /// Whether the server was told to end. It still responds to requests.
    var isDraining: Bool { draining.withLock { $0 } }

    func drain() { draining.withLock { $0 = true } }
}
