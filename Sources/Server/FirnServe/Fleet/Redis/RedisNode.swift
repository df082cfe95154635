import FirnSync
import NIOCore
import NIOPosix
import NIOSSL

/// A Redis node. Connects on demand, and pauses after a fault.
final class RedisNode: Sendable {
    private struct State {
        /// The connection. Fails at the time limit while connecting, and is replaced once it is connected.
        var connection: EventLoopFuture<RedisConnection>?
        var generation = 0
        /// Pauses connecting after a fault.
        var breaker = StoreBreaker(threshold: 1, pauses: .milliseconds(50)...Duration.seconds(2))
        var isStopped = false
    }

    let node: RedisAddress.Node
    private let address: RedisAddress
    private let limit: TimeAmount
    private let eventLoop: any EventLoop
    private let state = Locked(State())
    /// The last error that a server sent in place of a reply.
    private let lastError: Locked<String?>

    /// - Parameters:
    ///   - limit: the time limit of a reply.
    ///   - lastError: receives the error of a server that refuses the connection. Default: unused.
    init(
        _ node: RedisAddress.Node, _ address: RedisAddress, within limit: TimeAmount,
        lastError: Locked<String?> = Locked(nil)
    ) {
        self.lastError = lastError
        self.node = node
        self.address = address
        self.limit = limit
        eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    }

    /// Sends commands back to back and returns the reply to the last one.
    func send(_ commands: [RedisCommand]) async throws(RedisFault) -> RESPValue {
        do {
            let reply = try await connection().send(commands, within: limit).get()
            state.withLock { $0.breaker.record(isFailure: false, at: .monotonic()) }
            return reply
        } catch {
            throw error as? RedisFault ?? .unavailable
        }
    }

    /// Subscribes to a channel if the node can be reached.
    func subscribe(_ name: String, _ signal: RedisSignal) async {
        try? await connection().subscribe(name, signal)
    }

    func unsubscribe(_ name: String, _ signal: RedisSignal) {
        let future = state.withLock { $0.connection }
        future?.whenSuccess { $0.unsubscribe(name, signal) }
    }

    func stop() {
        let future = state.withLock { state in
            state.isStopped = true
            defer { state.connection = nil }
            return state.connection
        }
        future?.whenSuccess { $0.stop() }
    }

    // MARK: Connecting

    private func connection() async throws -> RedisConnection {
        let future = try state.withLock { state throws(RedisFault) in
            if let future = state.connection { return future }
            guard !state.isStopped, state.breaker.permits(at: .monotonic()) else { throw .unavailable }
            state.generation += 1
            let future = inTime(connect(state.generation), state.generation)
            state.connection = future
            return future
        }
        return try await future.get()
    }

    /// Returns a future that fails at the time limit while the connection continues, so that requests together wait no
    /// longer than for a reply.
    private func inTime(
        _ connection: EventLoopFuture<RedisConnection>, _ generation: Int
    ) -> EventLoopFuture<RedisConnection> {
        let promise = eventLoop.makePromise(of: RedisConnection.self)
        let timer = eventLoop.scheduleTask(in: limit) { [weak self, eventLoop] in
            // Order: the next request does not wait, and tries another node of a cluster.
            self?.replace(generation, eventLoop.makeFailedFuture(RedisFault.unavailable))
            promise.fail(RedisFault.late)
        }
        connection.whenComplete { [weak self] result in
            timer.cancel()
            switch result {
            case .success(let newConnection):
                promise.succeed(newConnection)
                if self?.replace(generation, connection) != true { newConnection.stop() }
            case .failure(let error): promise.fail(error)
            }
        }
        return promise.futureResult
    }

    /// Replaces the future for later requests, unless the connection has ended.
    ///
    /// - Returns: whether the node is not stopped.
    @discardableResult
    private func replace(_ generation: Int, _ connection: EventLoopFuture<RedisConnection>) -> Bool {
        state.withLock { state in
            if state.generation == generation, state.connection != nil { state.connection = connection }
            return !state.isStopped
        }
    }

    private func connect(_ generation: Int) -> EventLoopFuture<RedisConnection> {
        let connection = RedisConnection(eventLoop) { [weak self] in self?.end(generation) }
        let security = address.isSecure ? try? NIOSSLContext(configuration: .makeClientConfiguration()) : nil
        guard !address.isSecure || security != nil else { return eventLoop.makeFailedFuture(RedisFault.unavailable) }
        let host = node.host
        let future = ClientBootstrap(group: eventLoop)
            .connectTimeout(max(limit, .milliseconds(500)))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let security {
                        // Certificates name hosts, never addresses.
                        let isAddress = (try? SocketAddress(ipAddress: host, port: 1)) != nil
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: security, serverHostname: isAddress ? nil : host))
                    }
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
            .connect(host: node.host, port: node.port)
            .flatMap { _ in
                let (user, password) = (self.address.user, self.address.password)
                // Version 3 of the protocol allows messages between replies.
                let proof = password.isEmpty ? [] : ["AUTH", user, password]
                var commands = [RedisCommand(["HELLO", "3"] + proof)]
                if self.address.database > 0 { commands.append(RedisCommand("SELECT", "\(self.address.database)")) }
                // The first reply may include a TLS handshake.
                return connection.send(commands, within: self.limit + .milliseconds(500))
            }
            .flatMapThrowing { (reply: RESPValue) -> RedisConnection in
                if case .error(let message) = reply {
                    self.lastError.withLock { $0 = message }
                    throw RedisFault.refused
                }
                return connection
            }
        future.whenFailure { _ in connection.stop() }
        return future
    }

    /// Drops an ended connection and doubles the pause.
    private func end(_ generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.connection = nil
            state.breaker.record(isFailure: true, at: .monotonic())
        }
    }
}

/// The cause of a missing or unusable reply of Redis. The caller then continues without Redis.
enum RedisFault: String, Error, Sendable, CaseIterable {
    /// No connection, or a pause after earlier faults.
    case unavailable
    case late
    case malformed
    /// An error reply: no memory, a read-only replica, a cluster that is down, or an unknown command.
    case refused
    /// Too many redirections in a cluster.
    case lost
}
