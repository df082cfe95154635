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
    package static func write(_ data: Data) -> String? { write(Array(data), to: STDOUT_FILENO).map(reason) }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// - Returns: the system's error number; `nil` if all was written.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { FirnSystem.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}

/// Error messages.
package enum StandardError {
    /// Writes a line, escaped for a terminal.
    package static func line(_ text: String) {
        // A failure cannot be reported anywhere.
        _ = StandardOutput.write(Array((TerminalText.escaped(text) + "\n").utf8), to: STDERR_FILENO)
    }
}
