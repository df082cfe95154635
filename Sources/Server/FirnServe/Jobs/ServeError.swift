/// The error of a request without a result: an HTTP status, and a message in one line that may be shown to the client.
struct ServeError: Error, Equatable, Sendable {
    let status: Int
    /// The message. Contains no query of the source's address, no keys and no system paths.
    let message: String
    /// The seconds until the client may try again; `nil` if a retry would not help.
    let retryAfter: Int?

    init(_ status: Int, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The client closed its connection. The response is not sent.
    static let clientClosed = ServeError(499, "the client closed the connection")
    /// The time limit of the request is over.
    static let timeout = ServeError(504, "not done within the time limit")
    /// The server has too much work.
    static func busy(_ what: String) -> ServeError { ServeError(429, "busy: \(what)", retryAfter: 1) }

    /// True if another server may succeed: the client has left, or this server is busy or stops.
    var isOfServer: Bool { [429, 499, 500, 503].contains(status) }

    /// Returns the start of a value for a message. Bytes other than printable ASCII become `?`.
    static func printable(_ value: some Sequence<UInt8>, limit: Int = 64) -> String {
        let bytes = value.prefix(limit).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The error for a part of an IIIF address whose value is invalid.
    ///
    /// - Parameter status: 400 (the default) for a malformed value or one outside the limits, 404 for a value that
    ///   names nothing.
    static func invalid(
        _ part: String, _ value: some Sequence<UInt8>, _ reason: String, status: Int = 400
    ) -> ServeError {
        ServeError(status, "\(part) '\(printable(value))': \(reason)")
    }

    // Errors of imgproxy's language. They name the option and its invalid value.

    /// A request that cannot be parsed or is not allowed: 404.
    static func notFound(_ message: String) -> ServeError { ServeError(404, message) }

    /// An invalid argument of an option: 404.
    static func argument(_ option: String, _ value: String) -> ServeError {
        notFound("\(printable(option.utf8)): invalid value '\(printable(value.utf8))'")
    }
}

/// An invalid configuration: the place, the mistake and the remedy, in one line without secrets.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    /// Runs `body` and prefixes its error with a name.
    static func named<Value>(_ name: String, _ body: () throws -> Value) throws(ConfigurationError) -> Value {
        do { return try body() } catch { throw ConfigurationError("\(name): \(error)") }
    }
}
