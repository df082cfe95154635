import FirnSync
package import NIOCore

/// Results that the servers of a fleet share in Redis, and who makes them.
///
/// Keys, where H is the key of a result: `f:{H}:r` the result; `f:{H}:l` the lease of the server that makes it, a
/// random token; `f:{H}:w` the channel that says that the lease has ended. A lease saves work; it is no lock.
package final class RedisResults: Sendable {
    /// What a server may do about a missing result.
    package enum Lease: Sendable, Equatable {
        /// It makes the result, and ends the lease with the token.
        case granted(token: String)
        /// Another server makes it.
        case taken
        /// Redis does not reply.
        case unavailable
    }

    /// The largest value, in bytes.
    static let mostBytes = 512 << 10
    /// Sets the result, tells those who wait, and ends the lease if it is still the caller's.
    private static let finishing = """
        if ARGV[1] ~= '' then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
        if redis.call('GET', KEYS[2]) == ARGV[3] then redis.call('DEL', KEYS[2]) end
        redis.call('SPUBLISH', KEYS[3], '1')
        return 1
        """

    /// Prolongs a lease if it is still the caller's.
    private static let prolonging = """
        if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
        return 0
        """

    private let cluster: RedisCluster
    /// The time after which a lease ends that is not prolonged.
    let leaseTime: Duration
    private let counters = Locked<[RedisFault: Int]>([:])

    /// - Parameters:
    ///   - limit: the time after which a reply is late.
    ///   - leaseTime: the time after which a lease ends that is not prolonged. Default: 2 seconds.
    package init(
        _ address: RedisAddress, within limit: Duration = .milliseconds(50), leaseTime: Duration = .seconds(2)
    ) {
        cluster = RedisCluster(address, within: .nanoseconds(Int64(clamping: Int(limit / .nanoseconds(1)))))
        self.leaseTime = leaseTime
    }

    package func stop() { cluster.stop() }

    /// The commands without a usable reply, by their cause.
    package var faults: [RedisFault: Int] { counters.withLock { $0 } }

    private static func name(_ key: String, _ kind: String) -> String { "f:{\(key)}:\(kind)" }

    /// Returns the bytes of a result; `nil` if there are none or Redis does not reply.
    package func bytes(for key: String) async -> ByteBuffer? {
        let name = RedisResults.name(key, "r")
        guard case .bytes(let bytes)? = await send(RedisCommand("GET", name), name) else { return nil }
        return bytes
    }

    /// Asks for the right to make a result.
    package func lease(_ key: String) async -> Lease {
        let name = RedisResults.name(key, "l")
        let token = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        let milliseconds = Int(leaseTime / .milliseconds(1))
        switch await send(RedisCommand("SET", name, token, "NX", "PX", "\(milliseconds)"), name) {
        case .text("OK"): return .granted(token: token)
        case .null: return .taken
        default: return .unavailable
        }
    }

    /// Prolongs a lease, so that only that of a server that is gone ends by itself.
    func prolong(_ key: String, token: String) async {
        let name = RedisResults.name(key, "l")
        let milliseconds = Int(leaseTime / .milliseconds(1))
        _ = await send(RedisCommand("EVAL", RedisResults.prolonging, "1", name, token, "\(milliseconds)"), name)
    }

    /// Stores a result unless it is too large, and ends the lease.
    ///
    /// - Parameter bytes: `nil` to give up.
    package func finish(_ key: String, token: String, bytes: ByteBuffer?, lifetime: Duration) async {
        let value = bytes.flatMap { $0.readableBytes <= RedisResults.mostBytes ? $0 : nil } ?? ByteBuffer()
        let names = ["r", "l", "w"].map { RedisResults.name(key, $0) }
        let seconds = max(1, Int(clamping: lifetime.components.seconds))
        let texts = ["EVAL", RedisResults.finishing, "3"] + names
        let command = RedisCommand(
            arguments: texts.map { ByteBuffer(string: $0) } + [value]
                + [ByteBuffer(string: "\(seconds)"), ByteBuffer(string: token)])
        _ = await send(command, names[0])
    }

    /// Stores a result without a lease, unless it is too large.
    package func store(_ bytes: ByteBuffer, for key: String, lifetime: Duration) async {
        guard bytes.readableBytes <= RedisResults.mostBytes else { return }
        await finish(key, token: "", bytes: bytes, lifetime: lifetime)
    }

    /// Runs `body` with a signal that sounds when the lease of a result ends, as far as Redis says so.
    func listening<Value>(to key: String, _ body: (RedisSignal) async -> Value) async -> Value {
        let (name, signal) = (RedisResults.name(key, "w"), RedisSignal())
        let node = cluster.node(ofKey: name)
        await node?.subscribe(name, signal)
        let value = await body(signal)
        node?.unsubscribe(name, signal)
        return value
    }

    private func send(_ command: RedisCommand, _ key: String) async -> RESPValue? {
        do throws(RedisFault) {
            return try await cluster.send(command, key: key)
        } catch {
            counters.withLock { $0[error, default: 0] += 1 }
            return nil
        }
    }
}
