import FirnSync
import NIOCore

/// Sends commands to the node that holds their key, or to the only node.
///
/// Source: Redis cluster specification, "MOVED Redirection" and "ASK Redirection".
final class RedisCluster: Sendable {
    private struct State {
        var nodes: [RedisAddress.Node: RedisNode] = [:]
        /// The known nodes of slots.
        var slots: [Int: RedisAddress.Node] = [:]
        /// The earliest time of the next request for all slots.
        var next = NIODeadline.uptimeNanoseconds(0)
    }

    private static let maximumHops = 3
    private static let maximumNodes = 1000
    private let address: RedisAddress
    private let limit: TimeAmount
    private let state = Locked(State())
    /// The last error that a server sent in place of a reply.
    let lastError = Locked<String?>(nil)

    /// - Parameter limit: the time limit of a reply.
    init(_ address: RedisAddress, within limit: TimeAmount) {
        self.address = address
        self.limit = limit
    }

    deinit { stop() }

    func stop() {
        let nodes = state.withLock { Array(exchange(&$0.nodes, with: [:]).values) }
        for node in nodes { node.stop() }
    }

    /// Sends a command to the node of a key and returns its reply, which is not an error.
    func send(_ command: RedisCommand, key: String) async throws(RedisFault) -> RESPValue {
        let slot = RedisSlot.slot(of: key)
        var fault = RedisFault.unavailable
        // A cluster works as long as one of its nodes replies.
        for start in starts(slot) {
            do throws(RedisFault) {
                return try await send(command, slot: slot, from: start)
            } catch {
                fault = error
                guard error == .unavailable else { break }
            }
        }
        throw fault
    }

    private func send(
        _ command: RedisCommand, slot: Int, from start: RedisAddress.Node
    ) async throws(RedisFault) -> RESPValue {
        var (target, isAsking) = (start, false)
        for _ in 0...RedisCluster.maximumHops {
            let node = try node(target)
            let reply = try await node.send(isAsking ? [RedisCommand("ASKING"), command] : [command])
            guard case .error(let message) = reply else { return reply }
            guard let redirection = RedisRedirection(message, from: target) else {
                lastError.withLock { $0 = message }
                throw .refused
            }
            if redirection.isPermanent {
                state.withLock { $0.slots[slot] = redirection.node }
                learn(from: redirection.node)
            }
            (target, isAsking) = (redirection.node, !redirection.isPermanent)
        }
        throw .lost
    }

    func node(ofKey key: String) -> RedisNode? {
        starts(RedisSlot.slot(of: key)).first.flatMap { try? node($0) }
    }

    /// The nodes to try: the slot's first, then the configured ones.
    private func starts(_ slot: Int) -> [RedisAddress.Node] {
        let known = state.withLock { $0.slots[slot] }
        return (known.map { [$0] } ?? []) + address.nodes.filter { $0 != known }
    }

    private func node(_ target: RedisAddress.Node) throws(RedisFault) -> RedisNode {
        try state.withLock { state throws(RedisFault) in
            if let node = state.nodes[target] { return node }
            guard state.nodes.count < RedisCluster.maximumNodes else { throw .lost }
            let node = RedisNode(target, address, within: limit, lastError: lastError)
            state.nodes[target] = node
            return node
        }
    }

    /// Asks a node for the nodes of all slots, at most once a second.
    private func learn(from target: RedisAddress.Node) {
        let isDue = state.withLock { state in
            let now = NIODeadline.now()
            defer { if now >= state.next { state.next = now + .seconds(1) } }
            return now >= state.next
        }
        guard isDue else { return }
        Task { [weak self] in
            guard let node = try? self?.node(target),
                case .list(let rows)? = try? await node.send([RedisCommand("CLUSTER", "SLOTS")])
            else { return }
            self?.keep(rows, from: target)
        }
    }

    /// Stores the reply to `CLUSTER SLOTS`: rows of first slot, last slot, host and port, replicas.
    private func keep(_ rows: [RESPValue], from target: RedisAddress.Node) {
        var slots: [Int: RedisAddress.Node] = [:]
        for case .list(let row) in rows {
            guard row.count > 2, case .number(let first) = row[0], case .number(let last) = row[1],
                case .list(let parts) = row[2], parts.count > 1, case .number(let port) = parts[1],
                0 <= first, first <= last, last < RedisSlot.count, (1...65_535).contains(port)
            else { continue }
            let node = RedisAddress.Node(host: parts[0].string ?? "", port: port).known(from: target)
            for slot in first...last { slots[slot] = node }
        }
        state.withLock { $0.slots.merge(slots) { $1 } }
    }
}

/// A redirection of a command to another node.
struct RedisRedirection: Equatable {
    let node: RedisAddress.Node
    /// True if the slot has moved (`MOVED`). A slot that is being moved (`ASK`) is redirected each time.
    let isPermanent: Bool

    /// - Returns: `nil` for other errors.
    init?(_ message: String, from target: RedisAddress.Node) {
        let words = message.split(separator: " ")
        guard words.count == 3, words[0] == "MOVED" || words[0] == "ASK", let node = RedisAddress.Node(words[2]) else {
            return nil
        }
        isPermanent = words[0] == "MOVED"
        self.node = node.known(from: target)
    }
}

/// The slot of a key in a cluster.
///
/// Source: Redis cluster specification, "Key distribution model" and "Hash tags".
enum RedisSlot {
    static let count = 16_384

    /// Returns the slot: the CRC16 of the hash tag in the first braces, or of the whole key without one.
    static func slot(of key: String) -> Int {
        let bytes = Array(key.utf8)
        var part = bytes[...]
        if let open = bytes.firstIndex(of: UInt8(ascii: "{")),
            let close = bytes[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
        {
            part = bytes[(open + 1)..<close]
        }
        return Int(checksum(part)) % count
    }

    /// CRC-16/XMODEM: polynomial 0x1021, initial value 0.
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var sum: UInt16 = 0
        for byte in bytes {
            sum ^= UInt16(byte) << 8
            for _ in 0..<8 { sum = sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
        }
        return sum
    }
}
