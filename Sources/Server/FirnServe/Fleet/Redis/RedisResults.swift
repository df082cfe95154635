import FirnSync
import Logging
import NIOCore

/// Results in Redis, shared by a fleet, and the leases of the servers that make them.
///
/// Keys, where H is the key of a result: `f:{H}:r` the result, or the names of its parts; `f:{H}:l` the lease of the
/// server that makes it, a random token; `f:{H}:m` the lease of a second server that overtook it; `f:{H}:o` the token
/// whose work made progress within the stall time; `f:{H}:e` the failure of the last lease; `f:{H}:w` the channel that
/// announces the end of a lease. A lease saves work; it is not a lock. All times are those of Redis.
final class RedisResults: Sendable {
    /// The reply to a request for a lease.
    enum Lease: Sendable, Equatable {
        /// This server makes the result and releases the lease with the token.
        case granted(token: String)
        /// Another server makes it, and none may overtake.
        case held
        /// Another server ended its lease without storing the result: its failure, or bytes that are none.
        case ended(ByteBuffer)
        case unavailable
    }

    /// The maximum size of a result that is stored for its lifetime.
    static let maximumBytes = 512 << 10
    /// The sizes of a larger result's parts, each read within the time limit of a reply, and their maximum number.
    private static let (partBytes, maximumParts) = (128 << 10, 128)
    /// The lifetimes of such a result and of a failure, in seconds: longer than waiting servers take to read them.
    private static let (partTime, failureTime) = (60, 5)
    /// The failure of a lease whose result is not shared. Waiting servers make it at once.
    static let unshared = ByteBuffer(string: "-")

    /// Returns the failure to a waiting server, or gives the lease. The second lease is given if the first one made no
    /// progress within the stall time.
    private static let leasing = """
        if ARGV[4] == '1' then
            local failure = redis.call('GET', KEYS[4])
            if failure then return failure end
        end
        local first, second = redis.call('EXISTS', KEYS[1]), redis.call('EXISTS', KEYS[2])
        if first + second == 0 then
            redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[3])
            redis.call('DEL', KEYS[4])
        elseif first + second == 2 or redis.call('EXISTS', KEYS[3]) == 1 then
            return false
        end
        redis.call('SET', KEYS[first + 1], ARGV[1], 'PX', ARGV[2])
        return redis.status_reply('OK')
        """

    /// Releases the caller's lease, stores the result or the failure, and notifies waiting servers. A result ends the
    /// leases of all servers. A failure is not stored while another server makes progress.
    ///
    /// Order, in all scripts: Redis without memory refuses `SET`, unless the script has written before.
    private static let finishing = """
        local isResult, reply, others, progress = ARGV[4] == 'r', 1, 0, redis.call('GET', KEYS[4])
        for i = 2, 3 do
            local holder = redis.call('GET', KEYS[i])
            if holder and holder ~= ARGV[3] then others = others + 1 end
        end
        if ARGV[1] ~= '' and (isResult or others == 0 or not progress or progress == ARGV[3]) then
            reply = redis.pcall('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
        end
        for i = 2, 3 do
            if isResult or redis.call('GET', KEYS[i]) == ARGV[3] then redis.call('DEL', KEYS[i]) end
        end
        redis.call('SPUBLISH', KEYS[5], '1')
        return reply
        """

    /// Renews a lease if it is still the caller's, and notes its progress.
    private static let prolonging = """
        for i = 1, 2 do
            if redis.call('GET', KEYS[i]) == ARGV[1] then
                if ARGV[4] == '1' then redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[3]) end
                return redis.call('PEXPIRE', KEYS[i], ARGV[2])
            end
        end
        return 0
        """

    private let cluster: RedisCluster
    private let leaseTime: Duration
    private let stallTime: Duration
    /// The time between two renewals of a lease.
    var renewalTime: Duration { min(leaseTime, stallTime) / 3 }
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
    ///   - stallTime: the time without progress after which a second server may overtake. Default: 1 second.
    ///   - logger: logs when faults start and when they end. Default: none.
    init(
        _ address: RedisAddress, within limit: Duration = .milliseconds(50), leaseTime: Duration = .seconds(2),
        stallTime: Duration = .seconds(1), logger: Logger? = nil
    ) {
        self.logger = logger
        cluster = RedisCluster(address, within: .nanoseconds(Int64(clamping: Int(limit / .nanoseconds(1)))))
        self.leaseTime = leaseTime
        self.stallTime = stallTime
    }

    func stop() { cluster.stop() }

    /// The number of commands without a usable reply, by cause.
    var faults: [RedisFault: Int] { state.withLock { $0.faults } }

    static func name(_ key: String, _ kind: String) -> String { "f:{\(key)}:\(kind)" }

    private static func token() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    /// Returns the bytes of a result; `nil` if there are none or Redis does not reply.
    func bytes(for key: String) async -> ByteBuffer? {
        guard let bytes = await entry(key, "r") else { return nil }
        let words = bytes.readableBytes < 100 ? String(buffer: bytes).split(separator: " ") : []
        guard words.count == 3, words[0] == "parts", let count = Int(words[2]),
            (1...RedisResults.maximumParts).contains(count)
        else { return bytes }
        var whole = ByteBuffer()
        for number in 0..<count {
            guard let part = await entry(key, "\(words[1])\(number)"), part.readableBytes <= RedisResults.partBytes
            else { return nil }
            whole.writeImmutableBuffer(part)
        }
        return whole
    }

    private func entry(_ key: String, _ kind: String) async -> ByteBuffer? {
        let name = RedisResults.name(key, kind)
        guard case .bytes(let bytes)? = await send(RedisCommand("GET", name), name, .look) else { return nil }
        return bytes
    }

    /// Stores a large result in parts if other servers wait for it.
    ///
    /// - Returns: the entry that names the parts; `nil` if they are not stored.
    private func store(parts bytes: ByteBuffer, of key: String) async -> ByteBuffer? {
        let (channel, id) = (RedisResults.name(key, "w"), RedisResults.token())
        guard bytes.readableBytes <= RedisResults.maximumParts * RedisResults.partBytes,
            case .list(let counts)? = await send(RedisCommand("PUBSUB", "SHARDNUMSUB", channel), channel, .finish),
            case .number(let waiting)? = counts.last, waiting > 0
        else { return nil }
        var (rest, number) = (bytes, 0)
        while rest.readableBytes > 0, let part = rest.readSlice(length: min(rest.readableBytes, RedisResults.partBytes))
        {
            let name = RedisResults.name(key, "\(id)\(number)")
            let command = RedisCommand(["SETEX", name, "\(RedisResults.partTime)"], part)
            guard await send(command, name, .finish) != nil else { return nil }
            number += 1
        }
        return ByteBuffer(string: "parts \(id) \(number)")
    }

    /// Requests the lease of a result.
    ///
    /// - Parameter isWaiting: whether the caller has waited for another server, whose failure it then takes. Default:
    ///   false.
    func lease(_ key: String, isWaiting: Bool = false) async -> Lease {
        let token = RedisResults.token()
        switch await run(RedisResults.leasing, key, ["l", "m", "o", "e"], token, isWaiting, .lease) {
        case .text("OK"): return .granted(token: token)
        case .null: return .held
        case .bytes(let failure): return .ended(failure)
        default: return .unavailable
        }
    }

    /// Renews a lease, so that only the lease of a dead server expires.
    ///
    /// - Parameter hasProgress: whether the work has made progress, so that no other server may overtake.
    /// - Returns: false if the lease is no longer the caller's.
    func prolong(_ key: String, token: String, hasProgress: Bool) async -> Bool {
        await run(RedisResults.prolonging, key, ["l", "m", "o"], token, hasProgress, .finish) != .number(0)
    }

    /// Runs a script with the times of leases.
    private func run(
        _ script: String, _ key: String, _ kinds: [String], _ token: String, _ flag: Bool, _ kind: Kind
    ) async -> RESPValue? {
        let names = kinds.map { RedisResults.name(key, $0) }
        let times = [leaseTime, stallTime].map { "\(max(1, Int($0 / .milliseconds(1))))" }
        let words = ["EVAL", script, "\(names.count)"] + names + [token] + times + [flag ? "1" : ""]
        return await send(RedisCommand(words), names[0], kind)
    }

    /// Releases a lease, and stores a result or a failure.
    ///
    /// - Parameters:
    ///   - token: the lease; empty (the default) for none.
    ///   - bytes: the result. One that is too large or cannot be stored counts as ``unshared``. Default: `nil`.
    ///   - failure: the failure, if there is no result. Default: `nil`, which lets the next server try.
    ///   - lifetime: how long the result is stored, in whole seconds.
    func finish(
        _ key: String, token: String = "", bytes: ByteBuffer? = nil, failure: ByteBuffer? = nil,
        lifetime: Duration = .zero
    ) async {
        var (kind, value, seconds) = ("e", failure ?? ByteBuffer(), RedisResults.failureTime)
        if let bytes, bytes.readableBytes <= RedisResults.maximumBytes {
            (kind, value, seconds) = ("r", bytes, max(1, Int(clamping: lifetime.components.seconds)))
        } else if let bytes {
            value = RedisResults.unshared
            if let parts = await store(parts: bytes, of: key) {
                (kind, value, seconds) = ("r", parts, RedisResults.partTime)
            }
        }
        let names = [kind, "l", "m", "o", "w"].map { RedisResults.name(key, $0) }
        let texts = (["EVAL", RedisResults.finishing, "5"] + names).map { ByteBuffer(string: $0) }
        let values = [value] + ["\(seconds)", token, kind].map { ByteBuffer(string: $0) }
        _ = await send(RedisCommand(arguments: texts + values), names[0], .finish)
    }

    /// Runs `body` with a signal that sounds when Redis announces the end of a result's lease.
    func listening<Value, Failure: Error>(
        to key: String, _ body: (RedisSignal) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let (name, signal) = (RedisResults.name(key, "w"), RedisSignal())
        let node = cluster.node(ofKey: name)
        await node?.subscribe(name, signal)
        defer { node?.unsubscribe(name, signal) }
        return try await body(signal)
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
