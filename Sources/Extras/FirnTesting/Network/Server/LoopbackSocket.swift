import FirnData
import FirnSystem

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
