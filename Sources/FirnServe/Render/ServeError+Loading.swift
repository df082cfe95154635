import FirnData
import FirnPipeline

extension ServeError {
    /// The response to a source that could not be loaded or decoded. The message names no address.
    init(_ error: ImageLoadingError) {
        switch error.fault {
        case .cancelled: self = .clientClosed
        case .request: self.init(404, "the source is not allowed")
        case .data, .unsupported, .limit: self.init(422, error.message)
        case .pipeline: self.init(500, error.message)
        case .source:
            if let status = error.status {
                self.init((400...499).contains(status) ? status : 502, "the source responded with \(status)")
            } else if let cause = (error.underlying as? DataLoadingError)?.cause {
                switch cause {
                case .timeout: self.init(504, "the source did not respond in time")
                case .tooLarge, .truncated: self.init(422, error.message)
                case .forbidden, .badAddress, .unreadable, .redirect: self.init(404, "the source is not allowed")
                default: self.init(404, "the source is not reachable")
                }
            } else {
                self.init(404, "the source is not reachable")
            }
        }
    }
}
