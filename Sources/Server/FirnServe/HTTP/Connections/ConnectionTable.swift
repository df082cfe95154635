import FirnSync
import FirnSystem
import NIOCore
import HummingbirdCore
import Logging
import Synchronization

/// The open connections of a server, at most ``ConnectionLimits/most``.
final class ConnectionTable: Sendable {
    private struct State {
        var ledger: ConnectionLedger
        var channels: [UInt64: any Channel] = [:]
        var presences: [ObjectIdentifier: ClientPresence] = [:]
        var closed = 0
    }

    let limits: ConnectionLimits
    private let state: Locked<State>

    init(_ limits: ConnectionLimits) {
        self.limits = limits
        state = Locked(State(ledger: ConnectionLedger(most: limits.most)))
    }

    var count: Int { state.withLock { $0.ledger.count } }
    /// The number of connections that were closed because there were too many or because they were too slow.
    var closed: Int { state.withLock { $0.closed } }

    /// Adds a connection with the presence of its client, and closes the connection that it replaces.
    ///
    /// - Returns: the number of the connection; `nil` if there is no place, and the caller closes the connection.
    func add(_ channel: any Channel, _ presence: ClientPresence) -> UInt64? {
        let (number, other) = state.withLock { state -> (UInt64?, (any Channel)?) in
            let opening = state.ledger.add()
            if opening == nil || opening?.replaced != nil { state.closed += 1 }
            guard let opening else { return (nil, nil) }
            state.channels[opening.number] = channel
            state.presences[ObjectIdentifier(channel)] = presence
            return (opening.number, opening.replaced.flatMap { state.channels.removeValue(forKey: $0) })
        }
        other?.close(promise: nil)
        return number
    }

    func presence(of connection: ObjectIdentifier) -> ClientPresence? {
        state.withLock { $0.presences[connection] }
    }

    func begin(_ number: UInt64) { state.withLock { $0.ledger.begin(number) } }
    func end(_ number: UInt64) { state.withLock { $0.ledger.end(number) } }
    /// Counts a connection that is closed because it is too slow.
    func cut() { state.withLock { $0.closed += 1 } }

    func remove(_ number: UInt64, _ channel: any Channel) {
        state.withLock { state in
            state.ledger.remove(number)
            state.channels[number] = nil
            state.presences[ObjectIdentifier(channel)] = nil
        }
    }
}

/// The limit of open files of this process, which include connections.
package enum FileLimit {
    /// Raises the soft limit to the hard one. The soft limit is low for programs that use `select`; this one does not.
    ///
    /// - Returns: the number of files that may be open.
    /// - Source: getrlimit(2).
    package static func raise() -> Int {
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 1 << 20))
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return FreeDescriptors.limit
    }
}

/// Decides which connections stay open. A pure value.
///
/// A connection is idle before its first request and after each response. If all places are taken, a new connection
/// replaces the one that was idle longest, so that silent clients cannot keep others out.
struct ConnectionLedger {
    private let most: Int
    private var working: Set<UInt64> = []
    /// The idle connections, in the order in which they became idle.
    private var idle = BoundedMap<UInt64, Void>(limit: .max)
    private var last: UInt64 = 0

    init(most: Int) { self.most = max(1, most) }

    var count: Int { working.count + idle.count }
    var busy: Int { working.count }

    struct Opening: Equatable {
        let number: UInt64
        /// The connection to close for it; `nil` if there is room.
        let replaced: UInt64?
    }

    /// Adds a new connection; `nil` to refuse it because all others are busy.
    mutating func add() -> Opening? {
        let oldest = count < most ? nil : idle.removeLast()
        guard count < most else { return nil }
        last += 1
        idle.store((), for: last)
        return Opening(number: last, replaced: oldest)
    }

    mutating func begin(_ number: UInt64) {
        if idle.remove(number) { working.insert(number) }
    }

    mutating func end(_ number: UInt64) {
        if working.remove(number) != nil || idle.contains(number) { idle.store((), for: number) }
    }

    mutating func remove(_ number: UInt64) {
        if working.remove(number) == nil { _ = idle.remove(number) }
    }
}

/// The accepted connections of an HTTP/1.1 server that may stop while clients connect.
///
/// A stopping server drops connections that it has accepted but does not handle yet. NIO traps if such a connection is
/// released without being finished ("Deinited NIOAsyncWriter without calling finish()"), so each has an owner that
/// closes it.
struct AcceptedConnections: ServerChildChannel {
    let connections: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        connections.setup(channel: channel, logger: logger).map { AcceptedConnection($0) }
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        // The tasks of a connection run on its event loop.
        await withTaskExecutorPreference(EventLoopTaskExecutor(value.channel.eventLoop)) {
            await connections.handle(value: value.take(), logger: logger)
        }
    }
}

/// A connection that is closed when this object is released, unless it was taken.
final class AcceptedConnection: ServerChildChannelValue {
    private let connection: HTTP1Channel.Value
    private let isTaken = Atomic<Bool>(false)

    init(_ connection: HTTP1Channel.Value) { self.connection = connection }

    deinit {
        guard !isTaken.load(ordering: .acquiring) else { return }
        let connection = connection
        Task { try? await connection.executeThenClose { _, _ in } }
    }

    var channel: any Channel { connection.channel }

    /// Returns the connection, which the caller must close.
    func take() -> HTTP1Channel.Value {
        isTaken.store(true, ordering: .releasing)
        return connection
    }
}
