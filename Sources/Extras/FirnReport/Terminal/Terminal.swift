import FirnData
import FirnSystem

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
