import FirnSync
import Logging
import NIOCore

/// Results in Redis, shared by a fleet, and the leases of the servers that make them.
///
/// Keys, where H is the key of a result: `f:{H}:r` the result; `f:{H}:l` the lease of the server that makes it, a
/// random token; `f:{H}:w` the channel that announces the end of the lease. A lease saves work; it is not a lock.
final class RedisResults: Sendable {
    /// The reply to a request for a lease.
    enum Lease: Sendable, Equatable {
        /// This server makes the result and releases the lease with the token.
        case granted(token: String)
        /// Another server makes it.
        case held
        case unavailable
    }

    static let maximumBytes = 512 << 10
    /// Stores the result, releases the lease if it is still the caller's, and notifies waiting servers.
    private static let finishing = """
        if ARGV[1] ~= '' then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
        if redis.call('GET', KEYS[2]) == ARGV[3] then redis.call('DEL', KEYS[2]) end
        redis.call('SPUBLISH', KEYS[3], '1')
        return 1
        """

    /// Renews a lease if it is still the caller's.
    private static let prolonging = """
        if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
        return 0
        """

    private let cluster: RedisCluster
    /// The time after which a lease expires unless it is renewed.
    let leaseTime: Duration
    private struct State {
        var faults: [RedisFault: Int] = [:]
        /// The kinds of commands whose last command failed, with its fault.
        var failing: [Kind: RedisFault] = [:]

        /// Records the fault of a command, or its success.
        ///
        /// - Returns: whether this was the first fault, or the end of all faults.
        mutating func note(_ kind: Kind, _ fault: RedisFault?) -> Bool {
            let wasFailing = !failing.isEmpty
            failing[kind] = fault
            if let fault {
                faults[fault, default: 0] += 1
            } else {
                // A connection that works for one kind works for all.
                failing = failing.filter { $0.value == .refused }
            }
            return failing.isEmpty == wasFailing
        }
    }

    /// The kinds of commands. A server may refuse one kind and accept the others.
    enum Kind { case look, lease, finish }

    private let state = Locked(State())
    private let logger: Logger?

    /// - Parameters:
    ///   - limit: the time limit of a reply.
    ///   - leaseTime: the time after which a lease expires unless it is renewed. Default: 2 seconds.
    ///   - logger: logs when faults start and when they end. Default: none.
    init(
        _ address: RedisAddress, within limit: Duration = .milliseconds(50), leaseTime: Duration = .seconds(2),
        logger: Logger? = nil
    ) {
        self.logger = logger
        cluster = RedisCluster(address, within: .nanoseconds(Int64(clamping: Int(limit / .nanoseconds(1)))))
        self.leaseTime = leaseTime
    }

    func stop() { cluster.stop() }

    /// The number of commands without a usable reply, by cause.
    var faults: [RedisFault: Int] { state.withLock { $0.faults } }

    static func name(_ key: String, _ kind: String) -> String { "f:{\(key)}:\(kind)" }

    /// Returns the bytes of a result; `nil` if there are none or Redis does not reply.
    func bytes(for key: String) async -> ByteBuffer? {
        let name = RedisResults.name(key, "r")
        guard case .bytes(let bytes)? = await send(RedisCommand("GET", name), name, .look) else { return nil }
        return bytes
    }

    func lease(_ key: String) async -> Lease {
        let name = RedisResults.name(key, "l")
        let token = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        let milliseconds = Int(leaseTime / .milliseconds(1))
        switch await send(RedisCommand("SET", name, token, "NX", "PX", "\(milliseconds)"), name, .lease) {
        case .text("OK"): return .granted(token: token)
        case .null: return .held
        default: return .unavailable
        }
    }

    /// Renews a lease, so that only the lease of a dead server expires.
    func prolong(_ key: String, token: String) async {
        let name = RedisResults.name(key, "l")
        let milliseconds = Int(leaseTime / .milliseconds(1))
        _ = await send(
            RedisCommand("EVAL", RedisResults.prolonging, "1", name, token, "\(milliseconds)"), name, .finish)
    }

    /// Stores a result unless it is too large, and releases the lease.
    ///
    /// - Parameters:
    ///   - token: the lease; empty (the default) for none.
    ///   - bytes: `nil` to store nothing.
    func finish(_ key: String, token: String = "", bytes: ByteBuffer?, lifetime: Duration) async {
        let value = bytes.flatMap { $0.readableBytes <= RedisResults.maximumBytes ? $0 : nil } ?? ByteBuffer()
        let names = ["r", "l", "w"].map { RedisResults.name(key, $0) }
        let seconds = max(1, Int(clamping: lifetime.components.seconds))
        let texts = (["EVAL", RedisResults.finishing, "3"] + names).map { ByteBuffer(string: $0) }
        let values = [value, ByteBuffer(string: "\(seconds)"), ByteBuffer(string: token)]
        _ = await send(RedisCommand(arguments: texts + values), names[0], .finish)
    }

    /// Runs `body` with a signal that sounds when Redis announces the end of a result's lease.
    func listening<Value>(to key: String, _ body: (RedisSignal) async -> Value) async -> Value {
        let (name, signal) = (RedisResults.name(key, "w"), RedisSignal())
        let node = cluster.node(ofKey: name)
        await node?.subscribe(name, signal)
        let value = await body(signal)
        node?.unsubscribe(name, signal)
        return value
    }

    func send(_ command: RedisCommand, _ key: String, _ kind: Kind) async -> RESPValue? {
        do throws(RedisFault) {
            let reply = try await cluster.send(command, key: key)
            if state.withLock({ $0.note(kind, nil) }) { logger?.notice("Redis works again") }
            return reply
        } catch {
            if state.withLock({ $0.note(kind, error) }) {
                logger?.warning("Redis fails; results are made without it", metadata: ["cause": "\(reason(error))"])
            }
            return nil
        }
    }

    /// Reads and writes once.
    ///
    /// - Returns: the reason of a failure; `nil` if both work.
    func check() async -> String? {
        let name = RedisResults.name("check", "r")
        do throws(RedisFault) {
            _ = try await cluster.send(RedisCommand("GET", name), key: name)
            _ = try await cluster.send(RedisCommand("SET", name, "", "PX", "1"), key: name)
            return nil
        } catch {
            return reason(error)
        }
    }

    /// Describes a fault. Errors of a server contain no password.
    private func reason(_ fault: RedisFault) -> String {
        switch fault {
        case .unavailable: "there is no connection"
        case .late: "there is no reply in time"
        case .malformed: "the reply is not one of Redis"
        case .refused: cluster.lastError.withLock { $0.map { ServeError.printable($0.utf8) } ?? "it refuses" }
        case .lost: "the nodes of the cluster name each other in a circle"
        }
    }
}
