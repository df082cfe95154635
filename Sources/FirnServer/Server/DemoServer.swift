import Hummingbird
import Logging

/// An HTTP server on 127.0.0.1 for the demonstration: a catalog of files behind a simulated phone line.
///
/// Answers carry `Content-Length` and a strong `ETag`; single ranges are served (206).
package struct DemoServer: Sendable {
    /// The server did not start.
    package struct StartError: Error {}

    private let files: [String: String]
    private let latency: Duration
    private let bitsPerSecond: Int?

    /// A server that has not started.
    ///
    /// - Parameters:
    ///   - files: paths of requests, as they stand in the address, and the files they are answered with.
    ///   - latency: time from a request to the first byte of its answer. 70 ms: LTE to a server in the same country.
    ///   - bitsPerSecond: bandwidth that all connections share; `nil` for no limit. 10 Mbit/s: LTE at
    ///     midday.
    package init(files: [String: String], latency: Duration = .milliseconds(70), bitsPerSecond: Int? = 10_000_000) {
        self.files = files
        self.latency = latency
        self.bitsPerSecond = bitsPerSecond
    }

    /// Runs the server while `body` runs, at a port that the system chooses.
    ///
    /// When this returns or throws, the server has stopped and none of its tasks is left.
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
            // What the server says of being cancelled is of no interest.
            while await group.nextResult() != nil {}
            return result
        }
    }
}
