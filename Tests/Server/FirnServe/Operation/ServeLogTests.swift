import FirnSync
import FoundationEssentials
import Logging
import Testing

@testable import FirnServe

/// Lines that a logger has written.
struct LogLines: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func logger(_ format: ServeLogFormat, level: ServeLogLevel = .debug) -> Logger {
        Logger(label: "test") { _ in
            ServeLogHandler(
                format, level: level, now: { "NOW" }, write: { [lines] line in lines.withLock { $0.append(line) } })
        }
    }
}

@Suite("Log lines of the image server")
struct ServeLogTests {
    @Test func `a line of text has its fields in order, with quotes where they are needed`() {
        let lines = LogLines()
        lines.logger(.text).notice("hello", metadata: ["b": "two words", "a": "1", "c": ""])
        #expect(lines.all == [#"NOW notice hello a=1 b="two words" c="""#])
    }

    @Test func `a line of JSON is one object, whatever its values are`() throws {
        let lines = LogLines()
        lines.logger(.json).error("a\nb", metadata: ["source": "\"},{\u{1B}[31m"])
        let line = try #require(lines.all.first)
        #expect(!line.contains("\n") && !line.contains("\u{1B}"))
        let object = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        #expect(object == ["time": "NOW", "level": "error", "message": "a\nb", "source": "\"},{\u{1B}[31m"])
    }

    @Test func `numbers in lines of JSON are numbers, and an id of digits is a text`() throws {
        struct Line: Decodable {
            let status: Int
            let milliseconds: Double
            let id: String
        }
        let lines = LogLines()
        let monitor = RequestMonitor(ServeMetrics(), lines.logger(.json))
        monitor.responded(.imgproxy, source: nil, name: "12", bytes: 34, start: .now)
        let line = try #require(lines.all.first)
        let found = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        #expect(found.status == 200 && found.milliseconds >= 0 && found.id == "12" && line.contains(#""bytes":34"#))
    }

    @Test func `less important lines are not written`() {
        let lines = LogLines()
        lines.logger(.text, level: .warning).notice("no")
        #expect(lines.all.isEmpty)
    }

    @Test(arguments: [
        ("http://u:secret@h/a.jpg?token=secret#secret", "http://h/a.jpg"), ("local:///a b.jpg", "local:///a b.jpg"),
        ("http://h/\u{1B}[31m\n", "http://h/?[31m?"), ("a@b", "a@b"), ("", ""),
    ])
    func `addresses are shown without users, queries and control characters`(_ address: String, _ shown: String) {
        #expect(SourceReference.shown(address) == shown)
    }

    @Test func `long addresses keep their start and their end`() {
        let shown = SourceReference.shown("http://h/" + String(repeating: "x", count: 5000) + "/a.jpg")
        #expect(shown.count == 120 && shown.hasPrefix("http://h/xxx") && shown.hasSuffix("/a.jpg"))
    }
}
