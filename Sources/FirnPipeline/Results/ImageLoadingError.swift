/// Why a request did not end in a picture: whose fault, at which stage, for which source, and why.
///
/// Light: holds text and numbers, neither data nor decoder.
public struct ImageLoadingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whose fault it was.
    public enum Fault: String, Hashable, Sendable {
        /// The request's: an address that cannot be used, a processor that failed.
        case request
        /// The source's: network, server, file.
        case source
        /// The bytes': damaged, cut short, or no picture at all.
        case data
        /// The bytes are right, but this build cannot do what they ask for.
        case unsupported
        /// A limit would have been exceeded.
        case limit
        /// Nobody's: the task was cancelled.
        case cancelled
        /// Ours: the pipeline was shut down.
        case pipeline
    }

    /// The stage of a request's journey.
    public enum Stage: String, Hashable, Sendable {
        case request, loading, decoding, processing
    }

    /// Whose fault it was.
    public let fault: Fault
    /// Where on the request's way it happened.
    public let stage: Stage
    /// The request's address or id; long ones are cut.
    public let source: String
    /// The cause, in one line.
    public let message: String
    /// HTTP status, where a server's answer was the cause.
    public let status: Int?

    /// Makes an error.
    public init(_ fault: Fault, at stage: Stage, source: String, message: String, status: Int? = nil) {
        self.fault = fault
        self.stage = stage
        self.source = source.utf8.count <= 300 ? source : source.prefix(297) + "..."
        self.message = message
        self.status = status
    }

    /// `SOURCE: what was wrong`.
    public var description: String { "\(source): \(message)" }
}
