/// The reason why a request gets no image: an HTTP status and a reason, in one line that may be shown to the client.
struct ServeError: Error, Equatable, Sendable {
    let status: Int
    /// The reason, without addresses of the source's query, keys or system paths.
    let message: String
    /// The time when the client may try again, in seconds; `nil` if a retry would not help.
    let retryAfter: Int?

    init(_ status: Int, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The client has closed its connection. The response is not sent.
    static let clientClosed = ServeError(499, "the client closed the connection")
    /// The request has waited for as long as it may.
    static let timeout = ServeError(504, "not done within the time limit")
    /// There is more work than the server may take.
    static func busy(_ what: String) -> ServeError { ServeError(429, "busy: \(what)", retryAfter: 1) }

    /// Returns the first bytes of a value for a message. Other bytes than printable ASCII become `?`.
    static func printable(_ value: some Sequence<UInt8>, limit: Int = 64) -> String {
        let bytes = value.prefix(limit).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A configuration that cannot be used: where, what is wrong, and what to do, in one line without secrets.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    /// Runs `body`, and puts a name in front of its error.
    static func named<Value>(_ name: String, _ body: () throws -> Value) throws(ConfigurationError) -> Value {
        do { return try body() } catch { throw ConfigurationError("\(name): \(error)") }
    }
}

extension ServeError {
    /// A part of an address of the IIIF Image API, by its name, whose value is refused.
    ///
    /// - Parameter status: 400 (the default) for an invalid value and one outside of the limits, 404 for one that names
    ///   nothing, 501 for a feature that this server does not offer.
    static func invalid(
        _ part: String, _ value: some Sequence<UInt8>, _ reason: String, status: Int = 400
    ) -> ServeError {
        ServeError(status, "\(part) '\(printable(value))': \(reason)")
    }

    // Errors of imgproxy's language. They name the option and the value that were refused.

    /// A request that cannot be parsed or is not allowed: 404.
    static func notFound(_ message: String) -> ServeError { ServeError(404, message) }

    /// An argument that an option does not take: 404.
    static func argument(_ option: String, _ value: String) -> ServeError {
        notFound("\(printable(option.utf8)): invalid value '\(printable(value.utf8))'")
    }
}
