import FirnReport
import FirnSystem

/// Writes lines on standard error, escaped for a terminal.
enum StandardErrorLine {
    static func write(_ line: String) {
        let bytes = Array((TerminalText.escaped(line) + "\n").utf8)
        // A failed write is ignored.
        _ = FirnSystem.write(2, bytes, bytes.count)
    }
}
