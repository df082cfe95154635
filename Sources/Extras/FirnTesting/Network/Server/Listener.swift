import FirnSync
import FirnSystem

/// The threads of a ``ScriptedServer``: one that accepts, and one for each connection.
///
/// Invariant: threads retain the listener, never the server, so that the server can be released and stop them.
final class Listener: Sendable {
    let socket: LoopbackSocket
    let responses = Locked<[String: ArraySlice<ScriptedResponse>]>([:])
    let requests = Recorder<ScriptedServer.Request>()
    let connections = Recorder<Int>()
    let stalls = Recorder<Int>()
    let bytesSent = Locked(0)
    /// Opened to stop all threads.
    let stopping = Gate()
    private let threads = Locked(Threads())
    private let responder: (@Sendable (ScriptedServer.Request) -> ScriptedResponse)?

    /// - Parameter responder: computes the responses. Default: those in `responses`.
    init(_ responder: (@Sendable (ScriptedServer.Request) -> ScriptedResponse)? = nil) throws {
        self.responder = responder
        socket = try LoopbackSocket(isListening: true)
        startThread { self.accept() }
    }

    func stop() {
        stopping.open()
        // A connection may be accepted and its thread added during this wait.
        while let thread = threads.withLock({ $0.unjoined.popFirst() }) { pthread_join(thread, nil) }
    }

    func response(to request: ScriptedServer.Request) -> ScriptedResponse {
        if let responder { return responder(request) }
        return responses.withLock { responses in
            guard let line = responses[request.path], let first = line.first else {
                return .status(404, "Not Found")
            }
            if line.count > 1 { responses[request.path] = line.dropFirst() }
            return first
        }
    }

    private func accept() {
        var number = 0
        while true {
            guard poll(socket.descriptor, POLLIN, or: [stopping]) == .ready else { return }
            let descriptor = FirnSystem.accept(socket.descriptor, nil, nil)
            guard descriptor >= 0 else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            number += 1
            connections.start(number)
            let connection = ServedConnection(descriptor, number: number, self)
            startThread { connection.serve() }
        }
    }

    private func startThread(_ body: @escaping @Sendable () -> Void) {
        for thread in threads.withLock({ $0.takeEnded() }) { pthread_join(thread, nil) }
        let thread = WorkerThread.startJoinable {
            body()
            self.threads.withLock { $0.ended.append(pthread_self()) }
        }
        if let thread { threads.withLock { _ = $0.unjoined.insert(thread) } }
    }

    /// Threads to join: an ended thread keeps its stack until it is joined.
    private struct Threads {
        var unjoined: Set<pthread_t> = []
        var ended: [pthread_t] = []

        mutating func takeEnded() -> [pthread_t] {
            defer { ended = [] }
            return ended.filter { unjoined.remove($0) != nil }
        }
    }

    /// Waits for events of a socket (none: only its close), for one of the gates, or for the server to stop.
    func poll(_ descriptor: Int32, _ events: Int32, or gates: [Gate], milliseconds: Int32 = -1) -> WaitResult {
        var entries = [
            pollfd(fd: descriptor, events: Int16(events | POLLRDHUP), revents: 0),
            pollfd(fd: stopping.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        for gate in gates { entries.append(pollfd(fd: gate.descriptor, events: Int16(POLLIN), revents: 0)) }
        var count: Int32
        repeat {
            count = FirnSystem.poll(&entries, nfds_t(entries.count), milliseconds)
        } while count < 0 && errno == EINTR
        if count == 0 { return .timeout }
        if entries[1].revents != 0 { return .stopped }
        if entries.dropFirst(2).contains(where: { $0.revents != 0 }) { return .ready }
        let seen = Int32(entries[0].revents)
        // Bytes that were sent before the peer closed must still be read.
        if seen & events != 0 { return .ready }
        return seen == 0 ? .timeout : .left
    }
}

enum WaitResult {
    case ready
    /// The peer closed the connection.
    case left
    case stopped
    case timeout
}

/// A TCP socket at a free port of 127.0.0.1, closed with its last reference.
package final class LoopbackSocket: Sendable {
    let descriptor: Int32
    package let port: Int

    /// - Parameter isListening: `false` refuses every connection. No other process can take the port meanwhile.
    package init(isListening: Bool) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw DataFileError("socket", "127.0.0.1", code: errno) }
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && (!isListening || listen(descriptor, 512) == 0)
                    && getsockname(descriptor, address, &length) == 0 ? 0 : errno
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard code == 0 else {
            close(descriptor)
            throw DataFileError("bind", "127.0.0.1", code: code)
        }
    }

    deinit { close(descriptor) }
}

/// Not in the C library's headers as imported by Swift.
private let POLLRDHUP: Int32 = 0x2000
