import FirnSystem
import FirnTesting
import FoundationEssentials
import NIOCore

@testable import FirnServe

/// A Redis server on loopback, which ends with this object.
final class RedisProcess: Sendable {
    let port: Int
    let process: pid_t
    private let folder: String

    /// Debian's package `redis-tools` has the server under another name, and starts no service.
    private static let programs = ["/usr/bin/redis-server", "/usr/local/bin/redis-server", "/usr/bin/redis-check-rdb"]
    private static let program: String? = programs.first { access($0, X_OK) == 0 }
    static var isInstalled: Bool { program != nil }

    struct Failure: Error {}

    /// Starts a server and waits until it replies.
    init(_ options: [String] = [], isNode: Bool = false) async throws {
        guard let program = RedisProcess.program else { throw Failure() }
        let folder = FileManager.default.temporaryDirectory.path + "/firn-redis-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        self.folder = folder
        // Another program may take a port between the two calls.
        for _ in 0..<5 {
            let port = try RedisProcess.freePort()
            var words = ["redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", folder]
            if isNode {
                words += ["--cluster-enabled", "yes", "--cluster-port", "\(try RedisProcess.freePort())"]
                words += ["--cluster-node-timeout", "2000", "--cluster-require-full-coverage", "no"]
            }
            let child = try RedisProcess.start(program, words + options)
            if await RedisProcess.replies(port) {
                (self.port, process) = (port, child)
                return
            }
            RedisProcess.end(child)
        }
        (port, process) = (0, 0)
        throw Failure()
    }

    deinit {
        if process > 0 { RedisProcess.end(process) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    var address: String { "redis://127.0.0.1:\(port)" }
    var node: RedisAddress.Node { RedisAddress.Node(host: "127.0.0.1", port: port) }

    /// Sends a command to this server alone, and returns its reply.
    @discardableResult
    func reply(_ words: String...) async throws -> RESPValue {
        let client = RedisNode(node, try RedisAddress(address), within: .seconds(20))
        defer { client.stop() }
        return try await client.send([RedisCommand(arguments: words.map { ByteBuffer(string: $0) })])
    }

    func signal(_ number: Int32) { kill(process, number) }

    private static func replies(_ port: Int) async -> Bool {
        guard let address = try? RedisAddress("redis://127.0.0.1:\(port)") else { return false }
        for _ in 0..<500 {
            let client = RedisNode(RedisAddress.Node(host: "127.0.0.1", port: port), address, within: .seconds(5))
            defer { client.stop() }
            if case .text("PONG")? = try? await client.send([RedisCommand("PING")]) { return true }
            // Sleeps: another program starts.
            try? await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    private static func start(_ program: String, _ words: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        closeOthers(&actions)
        var texts = words.map { strdup($0) }
        texts.append(nil)
        defer { for text in texts { free(text) } }
        var child = pid_t()
        guard posix_spawn(&child, program, &actions, nil, texts, environ) == 0 else { throw Failure() }
        return child
    }

    private static func end(_ child: pid_t) {
        kill(child, SIGKILL)
        var status: Int32 = 0
        waitpid(child, &status, 0)
    }

    /// A port that was free a moment ago.
    private static func freePort() throws -> Int { try LoopbackSocket(isListening: false).port }
}

/// Three nodes of a cluster, which share the slots.
struct RedisNodes {
    let nodes: [RedisProcess]

    init() async throws {
        var nodes: [RedisProcess] = []
        for _ in 0..<3 { nodes.append(try await RedisProcess(isNode: true)) }
        let third = RedisSlot.count / 3
        for (index, node) in nodes.enumerated() {
            let last = index == 2 ? RedisSlot.count - 1 : (index + 1) * third - 1
            try await node.reply("CLUSTER", "ADDSLOTSRANGE", "\(index * third)", "\(last)")
            try await node.reply("CLUSTER", "SET-CONFIG-EPOCH", "\(index + 1)")
        }
        for node in nodes.dropFirst() {
            guard let bus = try await node.reply("CONFIG", "GET", "cluster-port").texts.last else { continue }
            try await nodes[0].reply("CLUSTER", "MEET", "127.0.0.1", "\(node.port)", bus)
        }
        self.nodes = nodes
        for node in nodes { try await RedisNodes.wait(for: node, "cluster_slots_assigned:16384") }
        for node in nodes { try await RedisNodes.wait(for: node, "cluster_state:ok") }
    }

    /// The node that has a key's slot.
    func owner(of key: String) -> RedisProcess {
        nodes[min(2, RedisSlot.slot(of: key) / (RedisSlot.count / 3))]
    }

    private static func wait(for node: RedisProcess, _ text: String) async throws {
        for _ in 0..<1000 {
            if try await node.reply("CLUSTER", "INFO").string?.contains(text) == true { return }
            // Sleeps: nodes tell each other from time to time.
            try await Task.sleep(for: .milliseconds(20))
        }
        throw RedisProcess.Failure()
    }
}

extension RESPValue {
    /// The texts of a list.
    var texts: [String] {
        if case .list(let values) = self { values.compactMap(\.string) } else { [] }
    }
}
