import CFirnStart
import FirnSystem

/// Writes the results of a command. A failed write ends the command, since silence would look like success.
package enum StandardOutput {
    /// Writes a line, escaped for a terminal. JSON is escaped already and stays unchanged.
    package static func line(_ text: String) {
        guard let code = StreamOutput.write(Array((TerminalText.escaped(text) + "\n").utf8), to: STDOUT_FILENO) else {
            return
        }
        StandardError.line("firn: standard output: \(reason(code))")
        exit(1)
    }

    /// Writes a file.
    ///
    /// - Returns: the reason of a failure; `nil` if all was written.
    package static func write(_ data: Data) -> String? { StreamOutput.write(data, to: STDOUT_FILENO).map(reason) }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}

package enum StandardError {
    /// Maximum length of a line, in bytes before it is escaped. Quotations in messages are shorter; see `QuotedText`.
    private static let maximumBytes = 4_096

    /// Writes a line, escaped for a terminal and shortened.
    package static func line(_ text: String) {
        let text = QuotedText.of(text, bytes: maximumBytes)
        // A failure here cannot be reported.
        _ = StreamOutput.write(Array((TerminalText.escaped(text) + "\n").utf8), to: STDERR_FILENO)
    }

    /// Warns about the properties that a replaced file lost, as ``OutputFile`` returns them.
    package static func warn(_ path: String, _ notes: [String], by program: String = "firn") {
        for note in notes { line("\(program): \(path): warning: the file was replaced, and \(note)") }
    }
}

/// The arguments of the process, as bytes.
package enum SystemArguments {
    /// All arguments except the command's name. File names that are not UTF-8 are preserved (`SystemPath`), while
    /// Swift's own arguments are repaired and then name no file.
    package static var all: [String] {
        var count: Int32 = 0
        guard let arguments = firn_start_arguments(&count) else { return [] }
        return UnsafeBufferPointer(start: arguments, count: Int(count)).dropFirst().compactMap { word in
            word.map { SystemPath.text(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }
}

/// The terminal of a file descriptor, and its capabilities.
package struct Terminal: Sendable {
    package let descriptor: Int32
    package let isTerminal: Bool
    /// True if the output is a terminal that supports cursor movement.
    package let isInteractive: Bool
    /// True if it supports characters beyond ASCII.
    let showsUnicode: Bool

    /// Inspects a descriptor. Default: standard error.
    package init(descriptor: Int32 = STDERR_FILENO) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        isInteractive = isTerminal && Terminal.variable("TERM") != "dumb"
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(Terminal.variable).first { !$0.isEmpty } ?? ""
        showsUnicode = locale.lowercased().hasSuffix("utf-8") || locale.lowercased().hasSuffix("utf8")
    }

    /// The current number of columns, since users resize terminals; 80 if it is unknown.
    package var columns: Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(clamping: TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes text with one call if possible, so that lines do not mix.
    package func write(_ text: String) {
        // A failing progress bar must not stop the work.
        _ = StreamOutput.write(Array(text.utf8), to: descriptor)
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
