import FirnData

/// The error of a request: the party at fault, the stage, the source and the cause.
///
/// Light: holds text and numbers, neither data nor decoder.
public struct ImageLoadingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The party at fault.
    public enum Fault: String, Hashable, Sendable {
        /// The request's: an address that cannot be used, a processor that failed.
        case request
        /// The source's: network, server, file.
        case source
        /// The bytes': damaged, cut short, or no image at all.
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

    /// The party at fault.
    public var fault: Fault { content.fault }
    /// The stage at which the request failed.
    public var stage: Stage { content.stage }
    /// The request's address or id, as the request has it; long ones are cut. For logs use ``description``.
    public var source: String { content.source }
    /// The cause, in one line.
    public var message: String { content.message }
    /// HTTP status, where a server's answer was the cause.
    public var status: Int? { content.status }

    /// One reference, since results are copied more often than errors are read.
    private let content: Content

    private final class Content: Sendable {
        let fault: Fault
        let stage: Stage
        let source: String
        let message: String
        let status: Int?

        init(_ fault: Fault, _ stage: Stage, _ source: String, _ message: String, _ status: Int?) {
            self.fault = fault
            self.stage = stage
            self.source = source
            self.message = message
            self.status = status
        }
    }

    /// Makes an error.
    public init(_ fault: Fault, at stage: Stage, source: String, message: String, status: Int? = nil) {
        let source = source.utf8.count <= 300 ? source : source.prefix(297) + "..."
        content = Content(fault, stage, source, message, status)
    }

    /// Whether all parts are equal.
    public static func == (a: ImageLoadingError, b: ImageLoadingError) -> Bool {
        a.fault == b.fault && a.stage == b.stage && a.source == b.source && a.message == b.message
            && a.status == b.status
    }

    /// By all parts but the status.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(fault)
        hasher.combine(stage)
        hasher.combine(source)
        hasher.combine(message)
    }

    /// `SOURCE: what was wrong`, for logs: without user names, passwords and secrets in queries.
    public var description: String {
        let redaction = AddressRedaction()
        return "\(redaction.address(source)): \(redaction.text(message))"
    }
}
