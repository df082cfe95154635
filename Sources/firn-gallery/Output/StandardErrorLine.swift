import FirnReport
import FirnSystem

/// Lines on standard error, escaped for a terminal.
enum StandardErrorLine {
    static func write(_ line: String) {
        let bytes = Array((TerminalText.escaped(line) + "\n").utf8)
        // Lines that cannot be written are dropped.
        _ = FirnSystem.write(2, bytes, bytes.count)
    }
}
