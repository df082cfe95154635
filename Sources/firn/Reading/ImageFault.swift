import Firn
import FirnReport

/// The failure of a file: the fault and the reason.
struct ImageFault: Error {
    /// `data`, `unsupported`, `limit`, `source`, or `request` for a frame that does not exist.
    let fault: String
    /// The reason in one line, without the path. Long words in it are shortened.
    let message: String

    init(_ fault: String, _ message: String) {
        self.fault = fault
        self.message = QuotedText.reason(LimitsArgument.naming(message))
    }

    init(_ error: DataFileError) {
        self.init("source", "cannot \(error.call): \(error.reason)")
    }

    init(_ error: ImageDecodingError) {
        self.init(error.fault.rawValue, error.description)
    }

    /// `{"fault": …, "message": …}`.
    var json: JSONValue {
        .object([("fault", .string(fault)), ("message", .string(message))])
    }
}
