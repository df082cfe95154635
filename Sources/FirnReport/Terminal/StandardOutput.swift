import FirnData
import FirnSystem
package import FoundationEssentials

/// The results of a command. A result that cannot be written ends the command, since silence would look like success.
package enum StandardOutput {
    /// Writes a line, escaped for a terminal. JSON is escaped already and stays unchanged.
    package static func line(_ text: String) {
        guard let code = write(Array((TerminalText.escaped(text) + "\n").utf8), to: STDOUT_FILENO) else { return }
        StandardError.line("firn: standard output: \(reason(code))")
        exit(1)
    }

    /// Writes a file.
    ///
    /// - Returns: the reason of a failure; `nil` if all was written.
    package static func write(_ data: Data) -> String? { write(data, to: STDOUT_FILENO).map(reason) }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// Writes all bytes to a descriptor, also to one that does not block.
    ///
    /// - Returns: the system's error number; `nil` if all was written.
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

/// Error messages.
package enum StandardError {
    /// Maximum length of a line, in bytes before it is escaped. What a message quotes is shorter; see `QuotedText`.
    private static let mostBytes = 4_096

    /// Writes a line, escaped for a terminal and shortened.
    package static func line(_ text: String) {
        let text = QuotedText.of(text, bytes: mostBytes)
        // A failure cannot be reported anywhere.
        _ = StandardOutput.write(Array((TerminalText.escaped(text) + "\n").utf8), to: STDERR_FILENO)
    }
}
