import FirnSync

/// A small HTTP/1.1 server on 127.0.0.1 that sends scripted responses, correct or faulty, and records its requests.
///
/// ```swift
/// let server = try ScriptedServer()
/// server.respond(to: "/x.png", with: .body(data))
/// server.respond(
///     to: "/cut.png",
///     with: .steps([.bytes(half), .cut], framing: .statedLength(data.count)))
/// let transfer = loader.startLoading(DataRequest(url: server.url("/x.png"))) { event in
///     print(event)
/// }
/// ```
/// The system chooses the port. Each connection has a thread of its own, and is kept open after a complete response.
/// Requests with a body are not supported. An address without a response gets status 404.
public final class ScriptedServer: Sendable {
    /// Each interval of this length in which the client receives nothing of a write counts in ``Record/stalledWrites``.
    public static let stallTime = Duration.milliseconds(200)

    private let listener: Listener

    /// The port.
    public var port: Int { listener.socket.port }

    /// Starts a server.
    public init() throws(SocketError) { listener = try Listener() }

    /// Starts a server that computes its responses, on the threads of its connections.
    package init(responding: @escaping @Sendable (Request) -> ScriptedResponse) throws(SocketError) {
        listener = try Listener(responding)
    }

    deinit { listener.stop() }

    /// Closes every connection and waits until all threads have ended. Called when the server is deinitialized.
    public func stop() { listener.stop() }

    /// The address of a path, which begins with `/`.
    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Responds to a path: to the first request with the first of `responses`, and so on; the last one stays in force.
    public func respond(to path: String, with responses: ScriptedResponse...) { respond(to: path, with: responses) }

    /// Responds to a path: to the first request with the first of `responses`, and so on; the last one stays in force.
    public func respond(to path: String, with responses: [ScriptedResponse]) {
        listener.responses.withLock { $0[path] = responses[...] }
    }

    /// The requests and connections so far.
    public var record: Record { listener.record.value }

    /// Waits until the record satisfies a condition, and returns it as it then was.
    ///
    /// The condition must not use the server. Give the test a time limit.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable (Record) -> Bool) async -> Record {
        await listener.record.wait(until: isReached)
    }
}
