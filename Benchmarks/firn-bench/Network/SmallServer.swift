import FirnSystem

/// A minimal server on loopback: one thread, small responses in one write, a long one for paths that begin with `/body`,
/// the first 64 KiB of it for `/part`, and silence for `/never`.
///
/// Runs in its own process, prints its port, and ends when its standard input is closed.
enum SmallServer {
    /// The length of a body in bytes: a small icon.
    static let bodyBytes = 1024
    /// The length of the long body in bytes.
    static let longBodyBytes = 100 << 20

    static func run() {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { return }
        print(UInt16(bigEndian: address.sin_port))
        fflush(nil)
        serve(listener)
    }

    private static func serve(_ listener: Int32) {
        func head(_ length: Int) -> [UInt8] {
            Array("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nETag: \"1\"\r\nContent-Length: \(length)\r\n\r\n".utf8)
        }
        let response = head(bodyBytes) + [UInt8](repeating: 120, count: bodyBytes)
        let long = head(longBodyBytes)
        let part = [UInt8](repeating: 120, count: 1 << 20)
        var entries = [
            pollfd(fd: 0, events: Int16(POLLIN), revents: 0), pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        ]
        var block = [UInt8](repeating: 0, count: 16 << 10)
        while poll(&entries, nfds_t(entries.count), -1) >= 0, entries[0].revents == 0 {
            if entries[1].revents != 0 {
                let connection = accept(listener, nil, nil)
                var on: Int32 = 1
                setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
                entries.append(pollfd(fd: connection, events: Int16(POLLIN), revents: 0))
            }
            for index in entries.indices.dropFirst(2).reversed() where entries[index].revents != 0 {
                let count = recv(entries[index].fd, &block, block.count, 0)
                guard count > 0 else {
                    close(entries[index].fd)
                    entries.remove(at: index)
                    continue
                }
                // Here a request arrives in one piece and ends with an empty line.
                guard block[count - 1] == 10, block[count - 3] == 10 else { continue }
                if block.starts(with: "GET /never".utf8) { continue }
                if block.starts(with: "GET /part".utf8) {
                    _ = send(entries[index].fd, long, long.count, Int32(MSG_NOSIGNAL))
                    _ = send(entries[index].fd, part, 64 << 10, Int32(MSG_NOSIGNAL))
                    continue
                }
                guard block.starts(with: "GET /body".utf8) else {
                    _ = send(entries[index].fd, response, response.count, Int32(MSG_NOSIGNAL))
                    continue
                }
                _ = send(entries[index].fd, long, long.count, Int32(MSG_NOSIGNAL))
                for _ in 0..<longBodyBytes / part.count {
                    _ = send(entries[index].fd, part, part.count, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }
}
