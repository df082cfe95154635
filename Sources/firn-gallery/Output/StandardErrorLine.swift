import FirnReport
import FirnSystem

/// Lines for whoever started the program, escaped for a terminal.
enum StandardErrorLine {
    static func write(_ line: String) {
        let bytes = Array((TerminalText.escaped(line) + "\n").utf8)
        // What nobody reads is lost.
        _ = FirnSystem.write(2, bytes, bytes.count)
    }
}
