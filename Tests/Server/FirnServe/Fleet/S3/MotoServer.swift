import FirnSync
import FirnSystem

@testable import FirnServe

/// `moto_server`, an imitation of AWS, as a process that ends with the process of the tests.
final class MotoServer: Sendable {
    struct Failure: Error {}

    /// The reason why tests that need the server are skipped.
    static let advice = "moto_server or setpriv is not on PATH; pip install 'moto[server]'"
    static let isInstalled = ["moto_server", "setpriv"].allSatisfy { name in
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }

    /// One server for all tests.
    static let shared = Task { try await MotoServer.start() }

    let port: Int

    private init(port: Int) { self.port = port }

    /// Starts a server at a port that is free. Another process may take the port first, so it tries again.
    private static func start() async throws -> MotoServer {
        for _ in 0..<5 {
            let (descriptor, port) = try S3TestServer.listen()
            close(descriptor)
            let hasEnded = Locked(false)
            // Order: the thread lives as long as the process, because the system kills the server with its thread.
            guard
                WorkerThread.start({
                    run(["setpriv", "--pdeathsig", "KILL", "moto_server", "-H", "127.0.0.1", "-p", "\(port)"])
                    hasEnded.withLock { $0 = true }
                })
            else { throw Failure() }
            for _ in 0..<600 where !hasEnded.withLock({ $0 }) {
                if (try? await RawClient(port: port).get("/moto-api/data.json").status) == 200 {
                    return MotoServer(port: port)
                }
                // Sleeps: another process starts, and does not report when it listens.
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        throw Failure()
    }

    /// Runs a program without output to its end.
    private static func run(_ arguments: [String]) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in [1, 2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        closeOthers(&actions)
        var texts: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { texts.forEach { free($0) } }
        var child: pid_t = 0
        guard posix_spawnp(&child, arguments[0], &actions, nil, &texts, environ) == 0 else { return }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
    }

    /// Creates a bucket and returns its address.
    func bucket(_ name: String) async throws -> S3Address {
        let proof = "AWS4-HMAC-SHA256 Credential=ID/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
        let response = try await RawClient(port: port).get(
            "/\(name)", method: "PUT", headers: ["Authorization": proof, "Content-Length": "0"])
        guard response.status == 200 else { throw Failure() }
        return try S3Address("s3://\(name)?endpoint=http://127.0.0.1:\(port)")
    }
}
