import FirnData
import FirnImage

extension ImageLoadingError {
    init(_ error: DataLoadingError, source: String) {
        var status: Int?
        let fault: Fault
        switch error.cause {
        case .badAddress, .refused, .forbidden: fault = .request
        case .tooLarge: fault = .limit
        case .cancelled: fault = .cancelled
        case .status(let code):
            fault = .source
            status = code
        default: fault = .source
        }
        self.init(fault, at: .loading, source: source, message: error.message, status: status)
    }

    init(_ error: ImageDecodingError, source: String) {
        let fault: Fault =
            switch error.fault {
            case .data, .incomplete: .data
            case .request: .request
            case .unsupported: .unsupported
            case .limit: .limit
            case .cancelled: .cancelled
            }
        self.init(fault, at: .decoding, source: source, message: error.description)
    }

    static func cancelled(source: String) -> ImageLoadingError {
        ImageLoadingError(.cancelled, at: .request, source: source, message: "the request was cancelled")
    }
}
