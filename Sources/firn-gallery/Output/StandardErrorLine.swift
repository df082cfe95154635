import Glibc

/// Lines for whoever started the program.
enum StandardErrorLine {
    static func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // What nobody reads is lost.
        _ = Glibc.write(2, bytes, bytes.count)
    }
}
