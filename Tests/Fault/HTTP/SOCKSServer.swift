import FirnSync
import FirnSystem
import FirnData
import FoundationEssentials

/// A SOCKS proxy (4, 4a and 5, without passwords) that connects to nothing: it records where it is told to connect, and
/// sends the responses itself.
final class SOCKSServer: Sendable {
    let port: Int
    private let descriptor: Int32
    private let body: Data
    private let refused: Set<String>
    private let asked = Locked<[String]>([])
    private let thread = Locked<pthread_t?>(nil)

    /// - Parameter refused: the hosts to which it does not connect.
    init(body: Data, refusing refused: Set<String> = []) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw DataFileError("listen", "a port", code: errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
        self.body = body
        self.refused = refused
        let (asked, serve) = (asked, SOCKSServer.serve)
        let started = WorkerThread.startJoinable {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                serve(connection, body, refused) { host in asked.withLock { $0.append(host) } }
                close(connection)
            }
        }
        thread.withLock { $0 = started }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        if let thread = thread.withLock({ $0 }) { pthread_join(thread, nil) }
        close(descriptor)
    }

    /// The hosts that it was told to connect to: names, or addresses as numbers.
    var hosts: [String] { asked.withLock { $0 } }

    private static func serve(
        _ connection: Int32, _ body: Data, _ refused: Set<String>, _ note: (String) -> Void
    ) {
        func read(_ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            return recv(connection, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : []
        }
        func text() -> String {
            var bytes: [UInt8] = []
            while let byte = read(1).first, byte != 0 { bytes.append(byte) }
            return String(decoding: bytes, as: UTF8.self)
        }
        func numbers(_ bytes: [UInt8]) -> String { bytes.map { "\($0)" }.joined(separator: ".") }
        func write(_ bytes: [UInt8]) { _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

        var host = ""
        let version = read(1).first
        if version == 5 {
            _ = read(Int(read(1).first ?? 0))
            write([5, 0])
            switch read(4).last {
            case 1: host = numbers(read(4))
            case 3: host = String(decoding: read(Int(read(1).first ?? 0)), as: UTF8.self)
            default: host = "IPv6 " + numbers(read(16))
            }
            _ = read(2)
        } else {
            let address = read(7).suffix(4)
            _ = text()
            host = address.starts(with: [0, 0, 0]) ? text() : numbers(Array(address))
        }
        note(host)
        let isRefused = refused.contains(host)
        write(
            version == 5 ? [5, isRefused ? 5 : 0, 0, 1, 0, 0, 0, 0, 0, 0] : [0, isRefused ? 91 : 90, 0, 0, 0, 0, 0, 0])
        guard !isRefused else { return }
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), let byte = read(1).first { head.append(byte) }
        write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n".utf8) + body)
    }
}
