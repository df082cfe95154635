import Firn
import FirnReport

/// Why a file could not be described or decoded: the fault and the reason.
struct ImageFault: Error {
    /// `data`, `unsupported`, `limit`, `source`, or `request` for a frame that the file does not have.
    let fault: String
    /// What was wrong, in one line, without the path.
    let message: String

    init(_ fault: String, _ message: String) {
        self.fault = fault
        self.message = message
    }

    init(_ error: FileError) {
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
