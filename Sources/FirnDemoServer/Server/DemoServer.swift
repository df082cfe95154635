import Hummingbird
import Logging

/// An HTTP server on 127.0.0.1 for the demonstration: a catalog of files behind a simulated phone line.
///
/// Responses have `Content-Length` and a strong `ETag`; single ranges are supported (206).
package struct DemoServer: Sendable {
    /// The server did not start.
    package struct StartError: Error {}

    private let files: [String: String]
    private let latency: Duration
    private let bitsPerSecond: Int?

    /// Creates a server, not started.
    ///
    /// - Parameters:
    ///   - files: the served files by path, as in the address.
    ///   - latency: the time from a request to the first byte of its response. Default: 70 ms, LTE to a server in the
    ///     same country.
    ///   - bitsPerSecond: the bandwidth that all connections share; `nil` for no limit. Default: 10 Mbit/s, LTE at
    ///     midday.
    package init(files: [String: String], latency: Duration = .milliseconds(70), bitsPerSecond: Int? = 10_000_000) {
        self.files = files
        self.latency = latency
        self.bitsPerSecond = bitsPerSecond
    }

    /// Runs the server while `body` runs, at a free port.
    ///
    /// When this returns or throws, the server has stopped and none of its tasks remains.
    package func run<Result>(_ body: (_ port: Int) async throws -> Result) async throws -> Result {
        let (ports, announce) = AsyncStream.makeStream(of: Int?.self)
        var logger = Logger(label: "firn-demo")
        logger.logLevel = .critical
        let application = Application(
            responder: FileResponder(
                files: files, line: LineSimulator(latency: latency, bitsPerSecond: bitsPerSecond)),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in announce.yield(channel.localAddress?.port) },
            logger: logger)

        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { announce.finish() }
                try await application.run()
            }
            guard let port = await ports.first(where: { _ in true }) ?? nil else {
                try await group.next()
                throw StartError()
            }
            let result = try await body(port)
            group.cancelAll()
            // The server's error on cancellation does not matter.
            while await group.nextResult() != nil {}
            return result
        }
    }
}
