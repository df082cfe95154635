import FirnSync
import FirnSystem

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
    /// A request as it arrived.
    public struct Request: Sendable {
        /// The method.
        public let method: String
        /// The path with its query, as requested.
        public let path: String
        /// Header fields.
        public let headers: HTTPHeaderFields
        /// Number of its connection, from 1.
        public let connection: Int
    }

    /// Each interval of this length in which the client receives nothing of a write is recorded in ``stalls``.
    package static let stallTime = Duration.milliseconds(200)

    private let listener: Listener

    /// The port.
    public var port: Int { listener.socket.port }

    /// Starts a server.
    ///
    /// - Throws: an error that names the failed call, if the system provides no socket or port.
    public init() throws { listener = try Listener() }

    /// Starts a server that computes its responses, on the threads of its connections.
    package init(responding: @escaping @Sendable (Request) -> ScriptedResponse) throws {
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

    /// The requests, in the order of their arrival. A request ends when its response was sent to its scripted end; it
    /// is cancelled if the client closes the connection before that.
    public var requests: Recorder<Request> { listener.requests }

    /// The numbers of connections. A connection ends when it is closed.
    public var connections: Recorder<Int> { listener.connections }

    /// The numbers of connections whose client received nothing for ``stallTime``.
    package var stalls: Recorder<Int> { listener.stalls }

    /// Bytes that the system accepted from the server, with heads and framing.
    package var bytesSent: Int { listener.bytesSent.withLock { $0 } }
}

/// A gate that is opened once.
///
/// A ``ScriptedServer`` waits at a gate within a response until the test opens it.
public final class Gate: Sendable {
    /// A pipe, readable once the gate is open, so that a thread can wait for it and for a socket at the same time.
    let descriptor: Int32
    private let writing: Int32

    /// Creates a closed gate.
    public init() {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        (descriptor, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(descriptor)
        close(writing)
    }

    /// Opens the gate. Does nothing if it is open.
    public func open() {
        var byte: UInt8 = 1
        // The byte is never read, so the pipe stays readable. A full pipe is an open gate, too.
        _ = write(writing, &byte, 1)
    }

    /// True if the gate is open.
    public var isOpen: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
