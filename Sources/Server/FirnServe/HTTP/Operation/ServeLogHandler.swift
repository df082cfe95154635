import FirnReport
package import Logging

/// Writes log lines to standard error: text, or a JSON object in each line.
package struct ServeLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level = .notice
    private let format: ServeLogFormat
    private let now: @Sendable () -> String
    private let write: @Sendable (String) -> Void

    package init(
        _ format: ServeLogFormat, level: ServeLogLevel,
        now: @escaping @Sendable () -> String = { ServeLogHandler.time() },
        write: @escaping @Sendable (String) -> Void = { StandardError.line($0) }
    ) {
        self.format = format
        self.now = now
        self.write = write
        logLevel = Logger.Level(rawValue: level.rawValue) ?? .notice
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        if let own = event.metadata { all.merge(own) { $1 } }
        var fields = all.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        if let error = event.error { fields.append(("error", "\(error)")) }
        switch format {
        case .text:
            let rest = fields.map { " \($0.name)=\(ServeLogHandler.quoted("\($0.value)"))" }.joined()
            write("\(now()) \(event.level.rawValue) \(event.message)\(rest)")
        case .json:
            let start = JSONValue.fields(["time": now(), "level": event.level.rawValue, "message": "\(event.message)"])
            write(JSONValue.object(start + fields.map { ($0.name, ServeLogHandler.json($0.value)) }).text)
        }
    }

    /// Returns numbers and flags as they are, and anything else as a string.
    private static func json(_ value: Logger.MetadataValue) -> JSONValue {
        guard case .stringConvertible(let value) = value else { return .string("\(value)") }
        return (value as? any JSONConvertible)?.json ?? .string("\(value)")
    }

    /// Quotes a value with spaces as in JSON.
    private static func quoted(_ text: String) -> String {
        text.contains { $0 == " " || $0 == "\"" || $0 == "=" } || text.isEmpty ? JSONValue.string(text).text : text
    }

    /// Returns the UTC time in RFC 3339 format, with milliseconds.
    package static func time() -> String {
        let time = Duration.sinceEpoch().components
        let milliseconds = String(1000 + time.attoseconds / 1_000_000_000_000_000).dropFirst()
        return UTCTime(seconds: time.seconds).text("%Y-%m-%dT%H:%M:%S") + ".\(milliseconds)Z"
    }
}
