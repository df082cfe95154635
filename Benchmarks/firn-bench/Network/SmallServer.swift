import Firn
import FirnSystem
import FoundationEssentials

/// A minimal server on loopback: one thread, small responses in one write, a long one for paths that begin with `/body`,
/// the first 64 KiB of it for `/part`, an image in four chunks for `/quarters`, and silence for `/never`.
///
/// Runs in its own process, prints its port, and ends when its standard input is closed.
enum SmallServer {
    /// The length of a body in bytes: a small icon.
    static let bodyBytes = 1024
    /// The length of the long body in bytes.
    static let longBodyBytes = 100 << 20
    /// The length of the image that arrives in chunks, and the time between these in microseconds.
    private static let chunked = (bytes: 100 << 10, pause: UInt32(2000))

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
        let quarters = head(chunked.bytes)
        let image = photograph()
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
                if block.starts(with: "GET /quarters".utf8) {
                    _ = send(entries[index].fd, quarters, quarters.count, Int32(MSG_NOSIGNAL | MSG_MORE))
                    for quarter in 0..<4 {
                        if quarter > 0 { usleep(chunked.pause) }
                        let bytes = image[(quarter * chunked.bytes / 4)..<((quarter + 1) * chunked.bytes / 4)]
                        bytes.withUnsafeBytes {
                            _ = send(entries[index].fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                        }
                    }
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

    /// A JPEG with noise, and zeros up to the length of the response.
    private static func photograph() -> [UInt8] {
        var random: UInt64 = 1
        let image = try? Bitmap(size: PixelSize(width: 480, height: 320), format: .rgb8) { pixels in
            for y in 0..<320 {
                for at in 0..<480 * 3 {
                    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    pixels.row(y).storeBytes(of: UInt8(y / 2) + UInt8(random >> 59), toByteOffset: at, as: UInt8.self)
                }
            }
        }
        let encoded = image.flatMap { try? ImageEncoders.encoder(for: .jpeg)?.encode($0) } ?? Data()
        return Array((Array(encoded) + [UInt8](repeating: 0, count: chunked.bytes)).prefix(chunked.bytes))
    }
}
