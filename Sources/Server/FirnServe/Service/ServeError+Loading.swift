extension ServeError {
    /// The times for which failures of sources are remembered: 5 seconds for an overloaded or broken source, or its
    /// `Retry-After`, up to a minute. After other failures, such as 404, the next request asks the source again.
    static let sourceTimes: FailureTimes = {
        var times = FailureTimes()
        (times.gone, times.missing, times.refused) = (.zero, .zero, .zero)
        return times
    }()

    /// Returns the seconds until a source may be asked again; `nil` for at once.
    private static func retryAfter(_ error: DataLoadingError) -> Int? {
        guard let time = sourceTimes.time(for: error), time > .zero else { return nil }
        return Int(clamping: max(time, error.retryAfter ?? .zero, .seconds(1)).components.seconds)
    }

    /// Returns the message for the client, which names no property of this library.
    private static func message(_ error: ImageLoadingError) -> String {
        if case .tooLarge(let limit)? = (error.underlying as? DataLoadingError)?.cause {
            return "is longer than the \(limit) bytes allowed"
        }
        return (error.underlying as? ImageError)?.reason ?? error.message
    }

    /// Creates the error of a source that could not be loaded, decoded, processed or encoded. The message contains no
    /// address.
    init(_ error: ImageLoadingError) {
        if let cause = ((error.underlying as? ImageError)?.underlying ?? error.underlying) as? DecoderUnavailable {
            let status = cause.responseStatus
            self.init(status, status == 504 ? "the decoder did not respond in time" : "the decoder cannot be started")
            return
        }
        if error.stage == .processing, !error.isCancelled {
            self = error.underlying as? ServeError ?? ServeError(422, ServeError.message(error))
            return
        }
        switch error.fault {
        case .cancelled: self = .clientClosed
        case .request: self.init(404, "the source is not allowed")
        case .data, .unsupported, .limit: self.init(422, ServeError.message(error))
        case .pipeline: self.init(500, error.message)
        case .source:
            let underlying = error.underlying as? DataLoadingError
            if let status = error.statusCode {
                self.init(
                    (400...499).contains(status) ? status : 502, "the source responded with \(status)",
                    retryAfter: underlying.flatMap { ServeError.retryAfter($0) })
                return
            }
            switch underlying?.cause {
            case .timeout?: self.init(504, "the source did not respond in time")
            case .tooLarge?, .truncated?: self.init(422, ServeError.message(error))
            case .forbidden?, .badAddress?, .unreadable?, .redirect?: self.init(404, "the source is not allowed")
            default: self.init(404, "the source is not reachable")
            }
        }
    }
}
