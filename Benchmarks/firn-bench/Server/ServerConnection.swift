import FirnSystem

/// A connection that is kept open, for one request after the other, on a thread that waits.
final class ServerConnection {
    private let socket: Int32
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// - Returns: `nil` if nobody listens.
    init?(port: Int) {
        socket = FirnSystem.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(clamping: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var time = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        guard status == 0 else {
            FirnSystem.close(socket)
            return nil
        }
    }

    deinit { FirnSystem.close(socket) }

    /// Sends a request, and does not wait for the response.
    @discardableResult
    func send(_ path: String) -> Bool {
        let text = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: image/*\r\n\r\n".utf8)
        return text.withUnsafeBytes { FirnSystem.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            == text.count
    }

    /// Loads a path.
    ///
    /// - Returns: the status and the bytes of the body; `nil` if the connection failed.
    func get(_ path: String) -> (status: Int, bytes: Int)? {
        guard send(path) else { return nil }
        var head: [UInt8] = []
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            head += buffer[..<count]
            if let end = ServerConnection.end(of: head) {
                return body(String(decoding: head[..<end], as: UTF8.self), received: head.count - end)
            }
        }
    }

    private func body(_ head: String, received: Int) -> (status: Int, bytes: Int)? {
        let lines = head.split(separator: "\r\n")
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }?
            .split(separator: ":").last.flatMap { Int($0.filter(\.isNumber)) }
        guard let status, let length else { return nil }
        var rest = length - received
        while rest > 0 {
            let count = recv(socket, &buffer, min(buffer.count, rest), 0)
            guard count > 0 else { return nil }
            rest -= count
        }
        return (status, length)
    }

    private static func end(of head: [UInt8]) -> Int? {
        let mark: [UInt8] = [13, 10, 13, 10]
        guard head.count >= 4 else { return nil }
        return (0...head.count - 4).first { head[$0] == 13 && Array(head[$0..<$0 + 4]) == mark }.map { $0 + 4 }
    }
}
