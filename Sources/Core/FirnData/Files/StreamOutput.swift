import FirnSystem
package import FoundationEssentials

/// Writes to open descriptors: of files, pipes, sockets, devices.
package enum StreamOutput {
    /// Writes all bytes to a descriptor, blocking or not.
    ///
    /// - Returns: the system's error number; `nil` on success.
    package static func write(_ bytes: some ContiguousBytes, to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = FirnSystem.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 {
                    return EIO
                } else if errno == EAGAIN || errno == EWOULDBLOCK {
                    var wait = pollfd(fd: descriptor, events: Int16(clamping: POLLOUT), revents: 0)
                    guard poll(&wait, 1, -1) >= 0 || errno == EINTR else { return errno }
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }
}
