import FirnData
import FirnImage

extension ImageLoadingError {
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
