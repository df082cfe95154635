import FirnSync
import FirnSystem
import FoundationEssentials

/// An HTTP/1.1 client that sends the given bytes unchanged, one request per connection.
struct RawClient: Sendable {
    struct Response: Sendable {
        let status: Int
        let headers: [String: String]
        let body: [UInt8]

        subscript(_ name: String) -> String? { headers[name.lowercased()] }
    }

    struct Failure: Error {}

    let port: Int
    /// The address of this machine that connections come from.
    var source = "127.0.0.1"

    /// Sends a request and reads the response to the end of the connection.
    func get(_ target: String, method: String = "GET", headers: [String: String] = [:]) async throws -> Response {
        let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        let text = "\(method) \(target) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\(fields)\r\n"
        return try await withConnection { descriptor in
            send(descriptor, Array(text.utf8))
            guard let response = RawClient.parse(receive(descriptor)) else { throw Failure() }
            return response
        }
    }

    /// Sends bytes and reads to the end of the connection, which the server has to close.
    func exchange(_ text: String) async throws -> [UInt8] {
        try await withConnection { descriptor in
            send(descriptor, Array(text.utf8))
            return receive(descriptor)
        }
    }

    /// Sends texts over one connection, each after the response to the one before.
    ///
    /// - Parameter before: is called before a text is sent, with its place.
    func inTurn(
        _ texts: [String], before: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> [Response] {
        try await withConnection { descriptor in
            var responses: [Response] = []
            for (place, text) in texts.enumerated() {
                before(place)
                send(descriptor, Array(text.utf8))
                guard let response = RawClient.response(descriptor, hasBody: !text.hasPrefix("HEAD")) else {
                    throw Failure()
                }
                responses.append(response)
            }
            return responses
        }
    }

    /// Sends a text over a connection of its own and returns the response.
    func response(to text: String) async throws -> Response {
        guard let response = try await inTurn([text]).first else { throw Failure() }
        return response
    }

    /// Opens a connection and runs `body` with it on a thread of its own, because `body` blocks.
    private func withConnection<Value: Sendable>(
        _ body: @escaping @Sendable (Int32) throws -> Value
    ) async throws -> Value {
        let descriptor = try connect()
        return try await withCheckedThrowingContinuation { continuation in
            let isStarted = WorkerThread.start {
                defer { close(descriptor) }
                continuation.resume(with: Result { try body(descriptor) })
            }
            if !isStarted { continuation.resume(throwing: Failure()) }
        }
    }

    /// Reads one response with a length.
    private static func response(_ descriptor: Int32, hasBody: Bool) -> Response? {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            if let response = parse(bytes), let length = response["Content-Length"].flatMap({ Int($0) }),
                !hasBody || response.body.count >= length
            {
                return response
            }
            let count = read(descriptor, &block, block.count)
            guard count > 0 else { return nil }
            bytes += block[..<count]
        }
    }

    /// Opens a connection without a request. The caller closes it.
    func silence() throws -> Int32 { try connect() }

    /// Sends a request and returns the connection, which the caller closes.
    func open(_ target: String) throws -> Int32 {
        let descriptor = try connect()
        send(descriptor, Array("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n".utf8))
        return descriptor
    }

    private func connect() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        func call(
            _ host: String, _ port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
        ) -> Int32 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr(host)
            address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        guard call(source, 0, bind) == 0, call("127.0.0.1", port, FirnSystem.connect) == 0 else {
            close(descriptor)
            throw Failure()
        }
        return descriptor
    }

    private static func parse(_ bytes: [UInt8]) -> Response? {
        let mark = Array("\r\n\r\n".utf8)
        guard bytes.count >= 4, let end = (0...bytes.count - 4).first(where: { Array(bytes[$0..<$0 + 4]) == mark })
        else {
            return nil
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, let status = Int(words[1]) else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        return Response(status: status, headers: headers, body: Array(bytes[(end + 4)...]))
    }
}

private func send(_ descriptor: Int32, _ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { FirnSystem.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}

private func receive(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 64 << 10)
    while case let count = read(descriptor, &block, block.count), count > 0 { bytes += block[..<count] }
    return bytes
}
