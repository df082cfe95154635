import FirnSystem

/// The error of a request: the party at fault, the stage, the source and the cause.
///
/// Small: it holds text and numbers, and never bytes, a decoder, or a request's body. ``underlying`` is the loader's,
/// decoder's or processor's error as it was thrown.
///
/// ```swift
/// Task {
///     do {
///         let image = try await pipeline.image(for: request)
///         print(image.size)
///     } catch {
///         guard let failure = ImageLoadingError(error), failure != .cancelled else {
///             return
///         }
///         let isTimeout = (failure.underlying as? DataLoadingError)?.cause == .timeout
///         print(isTimeout ? "too slow" : failure.message)
///     }
/// }
/// ```
public struct ImageLoadingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The party at fault.
    public enum Fault: String, Hashable, Sendable {
        /// The request's: an address that cannot be used, a processor that failed.
        case request
        /// The source's: network, server, file.
        case source
        /// The bytes': damaged, cut short, or no image at all.
        case data
        /// The bytes are valid, but this build lacks a feature that they need.
        case unsupported
        /// A limit would have been exceeded.
        case limit
        /// The task was cancelled.
        case cancelled
        /// The pipeline was shut down.
        case pipeline
    }

    /// The stage at which a request failed.
    public enum Stage: String, Hashable, Sendable {
        case request, loading, decoding, processing
    }

    /// The party at fault.
    public var fault: Fault { content.value.fault }
    /// The stage at which the request failed.
    public var stage: Stage { content.value.stage }
    /// The request's address or id, as the request has it; long ones are cut. For logs use ``description``.
    public var source: String { content.value.source }
    /// The cause, in one line.
    public var message: String { content.value.message }
    /// The HTTP status of the server's response, if that was the cause; otherwise `nil`.
    public var statusCode: Int? { content.value.statusCode }
    /// True if the source refused the request because of its credentials. A stale image stays shown then.
    package var isRefusal: Bool { statusCode.map(ResponseStatus.isRefusal) ?? false }
    /// The error that ended the request, as the stage threw it; `nil` if the pipeline itself found the fault.
    ///
    /// | thrown by | type |
    /// |---|---|
    /// | a loader | ``/FirnData/DataLoadingError``: its cause tells a timeout from a lost connection |
    /// | a file | ``/FirnImage/ImageError``; the fault `missing` if it does not exist |
    /// | a decoder or processor | ``/FirnImage/ImageError``, or what your own throws |
    /// | a closure of the request, or a delegate | what it threw |
    ///
    /// All requests that share the work get the same value. The underlying error lives as long as this one, so errors
    /// of your own should not hold large objects.
    public var underlying: (any Error)? { content.value.underlying }
    /// True if the task was cancelled, as in ``cancelled``.
    public var isCancelled: Bool { fault == .cancelled }

    /// One reference, since results are copied more often than errors are read.
    private let content: Box<Content>

    private struct Content: Sendable {
        let fault: Fault
        let stage: Stage
        let source: String
        let message: String
        let statusCode: Int?
        let underlying: (any Error)?
    }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - fault: the party at fault.
    ///   - stage: the stage that failed.
    ///   - source: the address or id. One of more than 300 bytes is shortened, without its secrets.
    ///   - message: the cause, in one line, without the source. Words of more than 300 bytes are shortened, and the
    ///     whole to 1,000 bytes.
    ///   - statusCode: the server's status, if that was the cause. Default: none.
    ///   - underlying: the error that was the cause. Default: none.
    public init(
        _ fault: Fault, at stage: Stage, source: String, message: String, statusCode: Int? = nil,
        underlying: (any Error)? = nil
    ) {
        content = Box(
            Content(
                fault: fault, stage: stage, source: QuotedText.address(source), message: QuotedText.reason(message),
                statusCode: statusCode, underlying: underlying))
    }

    /// `SOURCE: what was wrong`, for logs: without user names, passwords and secrets in queries.
    public var description: String {
        let redaction = AddressRedaction()
        return "\(redaction.address(source)): \(redaction.text(message))"
    }

    // MARK: Comparing and matching

    /// The error of a cancelled task, for matching and comparing. All cancelled errors are equal, regardless of their
    /// source.
    ///
    /// ```swift
    /// switch error {
    /// case .cancelled: print("not wanted any more")
    /// default: print(error)
    /// }
    /// ```
    ///
    /// It is not Swift's `CancellationError`: `catch is CancellationError` does not see it.
    public static let cancelled = ImageLoadingError.cancelled(source: "")

    /// Returns the error itself if it is one of a pipeline; otherwise `nil`.
    ///
    /// For a `catch` where Swift does not infer the error's type, as in closures of several statements: there `error`
    /// is `any Error` and has no ``fault``.
    public init?(_ error: any Error) {
        guard let error = error as? ImageLoadingError else { return nil }
        self = error
    }

    /// Returns whether fault, stage, source, message and status are equal, or both errors are ``cancelled``. The
    /// underlying errors, which need not be comparable, do not count.
    public static func == (a: ImageLoadingError, b: ImageLoadingError) -> Bool {
        if a.isCancelled || b.isCancelled { return a.isCancelled == b.isCancelled }
        return a.fault == b.fault && a.stage == b.stage && a.source == b.source && a.message == b.message
            && a.statusCode == b.statusCode
    }

    /// Hashes the properties that `==` compares, except the status.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(fault)
        guard !isCancelled else { return }
        hasher.combine(stage)
        hasher.combine(source)
        hasher.combine(message)
    }

    /// Creates the error of a request whose bytes could not be read or loaded.
    init(_ error: DataLoadingError, for request: ImageRequest) {
        // The error of a request's closure, of a delegate or of a loader of another kind is the cause; the transfer
        // only carried it.
        let hasClosure =
            switch request.source {
            case .closure, .image: true
            case .address, .bytes: false
            }
        let carries = hasClosure || error.cause == .refused || error.cause == .other
        let thrown = carries ? error.underlying : nil
        if let thrown = thrown as? ImageLoadingError {
            self.init(thrown, rethrownFor: request)
            return
        }
        let fault: Fault =
            switch error.cause {
            case .badAddress, .refused, .forbidden: .request
            case .tooLarge: .limit
            case .cancelled: .cancelled
            default: .source
            }
        let status: Int? = if case .status(let code) = error.cause { code } else { nil }
        self.init(
            fault, at: .loading, source: request.description, message: error.message, statusCode: status,
            underlying: thrown ?? error)
    }

    /// Creates the error of a request whose closure used a pipeline and failed with its error.
    init(_ error: ImageLoadingError, rethrownFor request: ImageRequest) {
        self.init(
            error.fault, at: error.stage, source: request.description, message: error.message,
            statusCode: error.statusCode,
            underlying: error)
    }

    /// Creates the error of a stage that failed.
    init(_ error: ImageError, at stage: Stage, source: String) {
        let fault: Fault =
            switch error.fault {
            case .data, .incomplete, .library: .data
            case .request, .image: .request
            case .unsupported: .unsupported
            case .limit: .limit
            case .missing, .file: .source
            case .cancelled: .cancelled
            }
        self.init(
            fault, at: stage, source: source, message: error.detail,
            underlying: fault == .source ? error : error.underlying ?? error)
    }

    /// Creates the error of a request.
    init(
        _ fault: Fault, at stage: Stage, of request: ImageRequest, _ message: String, underlying: (any Error)? = nil
    ) {
        self.init(fault, at: stage, source: request.description, message: message, underlying: underlying)
    }

    /// Creates the error of a file or a folder that cannot be read.
    init(reading path: String, _ error: DataFileError) {
        let message =
            error.code == EISDIR
            ? "is a directory; ask requests(inFolder:) for the images in it" : "cannot \(error.call): \(error.reason)"
        self.init(.source, at: .loading, source: path, message: message, underlying: ImageError(error))
    }

    static func invalidated(_ request: ImageRequest) -> ImageLoadingError {
        .init(.pipeline, at: .request, of: request, "the pipeline was invalidated; make the request of another one")
    }

    static func untrustedFile(_ request: ImageRequest) -> ImageLoadingError {
        let message = "an untrusted address may not name a file; make the request with the file's path"
        return .init(.request, at: .loading, of: request, message)
    }

    static func cancelled(source: String, underlying: (any Error)? = nil) -> ImageLoadingError {
        ImageLoadingError(
            .cancelled, at: .request, source: source, message: "the request was cancelled", underlying: underlying)
    }

    /// Creates the error of a task for bytes that got none.
    static func noBytes(for request: ImageRequest) -> ImageLoadingError {
        guard request.wantsBytes else { return .cancelled(source: request.description) }
        return .init(.request, at: .loading, of: request, "its closure makes an image and has no bytes")
    }
}

extension Result where Failure == ImageLoadingError {
    /// True if the source refused the request, so that the preview of the stale image stays.
    package var isRefusal: Bool { if case .failure(let error) = self { error.isRefusal } else { false } }
}
