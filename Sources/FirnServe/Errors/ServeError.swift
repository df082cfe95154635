/// Why a request gets no image: an HTTP status and a reason, in one line that may be shown to the client.
package struct ServeError: Error, Equatable, Sendable {
    /// The HTTP status of the response.
    package let status: Int
    /// The reason, without addresses of the source's query, keys or system paths.
    package let message: String
    /// When the client may try again, in seconds; `nil` if that is of no use.
    package let retryAfter: Int?

    package init(_ status: Int, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The client has closed its connection. The response is not sent.
    package static let clientClosed = ServeError(499, "the client closed the connection")
    /// The request has waited for as long as it may.
    package static let timeout = ServeError(504, "not done within the time limit")
    /// There is more work than the server may take.
    package static func busy(_ what: String) -> ServeError { ServeError(429, "busy: \(what)", retryAfter: 1) }

    /// Returns at most 64 bytes of a value for a message, with `?` for everything but printable ASCII.
    static func printable(_ value: some Sequence<UInt8>) -> String {
        let bytes = value.prefix(64).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
