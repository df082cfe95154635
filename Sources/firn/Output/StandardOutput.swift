import Glibc

/// The results of a command. A result that cannot be written ends the command: silence would look like success.
enum StandardOutput {
    /// Writes a line, whole.
    static func line(_ text: String) {
        guard let code = write(text + "\n", to: STDOUT_FILENO) else { return }
        StandardError.line("firn: standard output: \(String(cString: strerror(code)))")
        exit(1)
    }

    /// - Returns: the system's error number, or `nil` if all was written.
    static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}

/// What went wrong, for people.
enum StandardError {
    /// Writes a line, whole.
    static func line(_ text: String) {
        // There is nowhere left to complain to.
        _ = StandardOutput.write(text + "\n", to: STDERR_FILENO)
    }
}
