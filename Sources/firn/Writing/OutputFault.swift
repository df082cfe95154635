import Firn

/// Why an image was not written.
enum OutputFault: Error {
    /// The file that would be written is the source itself.
    case itself(path: String)
    /// The file that would be written is a source of the batch.
    case source(path: String)
    /// The system did not let it be written.
    case file(FileError)
    /// The standard output could not be written.
    case standardOutput(reason: String)

    /// Whose fault it was, as JSON says it.
    var fault: String {
        switch self {
        case .itself, .source: "request"
        case .file, .standardOutput: "source"
        }
    }

    /// What was wrong, in one line.
    var message: String {
        switch self {
        case .itself: "the image would be written over itself; name another folder or file with --out"
        case .source(let path): "\(path) is a source and is not written over; name another folder or file with --out"
        case .file(let error): "cannot write \(error.path): \(error.reason)"
        case .standardOutput(let reason): "cannot write to the standard output: \(reason)"
        }
    }
}
