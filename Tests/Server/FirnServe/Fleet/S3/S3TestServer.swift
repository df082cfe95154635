import FirnSync
import FirnSystem

/// A clock that tests set.
final class TestClock: Sendable {
    private let value: Locked<Int64>

    init(seconds: Int64 = 0) { value = Locked(seconds) }

    var seconds: Int64 {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// An HTTP server on loopback that responds by a script. Each connection has one request.
final class S3TestServer: Sendable {
    /// The variables with the keys of its clients.
    static let keys = ["AWS_ACCESS_KEY_ID": "ID", "AWS_SECRET_ACCESS_KEY": "HIDDEN"]

    struct Request: Sendable {
        /// The number of requests before this one.
        let number: Int
        /// The request line and the fields.
        let head: String
        let body: [UInt8]
    }

    enum Reply: Sendable {
        /// Bytes, after which the connection is closed.
        case bytes([UInt8])
        /// Bytes, after which nothing comes until the client leaves.
        case held([UInt8])

        static func response(_ status: Int, _ fields: [String] = [], body: String = "") -> Reply {
            .bytes(Reply.head(status, fields, length: body.utf8.count) + Array(body.utf8))
        }

        static func head(_ status: Int, _ fields: [String] = [], length: Int) -> [UInt8] {
            let lines = ["HTTP/1.1 \(status) Status", "Connection: close", "Content-Length: \(length)"] + fields
            return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        }
    }

    struct Failure: Error {}

    let port: Int
    private let descriptor: Int32
    private let seen: Locked<[Request]>

    var requests: [Request] { seen.withLock { $0 } }

    init(_ script: @escaping @Sendable (Request) -> Reply) throws {
        let (descriptor, port) = try S3TestServer.listen()
        self.descriptor = descriptor
        self.port = port
        let seen = Locked<[Request]>([])
        self.seen = seen
        let isStarted = WorkerThread.start {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                let isTaken = WorkerThread.start {
                    S3TestServer.serve(connection, seen, script)
                    close(connection)
                }
                if !isTaken { close(connection) }
            }
            close(descriptor)
        }
        guard isStarted else { throw Failure() }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Opens a socket at a free port.
    static func listen() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && FirnSystem.listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw Failure()
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func serve(
        _ connection: Int32, _ seen: Locked<[Request]>, _ script: @Sendable (Request) -> Reply
    ) {
        guard let (head, body) = read(connection) else { return }
        let request = seen.withLock { seen in
            let request = Request(number: seen.count, head: head, body: body)
            seen.append(request)
            return request
        }
        switch script(request) {
        case .bytes(let bytes): write(bytes, connection)
        case .held(let bytes):
            write(bytes, connection)
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
        }
    }

    private static func read(_ connection: Int32) -> (head: String, body: [UInt8])? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = bytes.firstRange(of: end) {
                let head = String(decoding: bytes[..<range.upperBound], as: UTF8.self)
                let field = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                let length = field.flatMap { Int($0.dropFirst(15).filter { $0 != " " }) } ?? 0
                if bytes.count - range.upperBound >= length { return (head, Array(bytes[range.upperBound...])) }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    private static func write(_ bytes: [UInt8], _ connection: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}
