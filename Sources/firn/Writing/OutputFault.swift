import Firn

/// The reason why an image was not written.
enum OutputFault: Error {
    /// The output file is the source itself.
    case itself(path: String)
    /// The output file is another source of the batch.
    case source(path: String)
    /// A folder below the output folder is a link.
    case link(path: String)
    /// The system refused it.
    case file(DataFileError)
    /// The standard output could not be written.
    case standardOutput(reason: String)

    /// The fault in JSON.
    var fault: String {
        switch self {
        case .itself, .source: "request"
        case .link, .file, .standardOutput: "source"
        }
    }

    /// The reason in one line.
    var message: String {
        switch self {
        case .itself: "the image would be written over itself; name another folder or file with --out"
        case .source(let path): "\(path) is a source and is not written over; name another folder or file with --out"
        case .link(let path):
            "\(path) is a link and is not followed below an output folder; name another folder with --out"
        case .file(let error): "cannot write \(error.path): \(error.reason)"
        case .standardOutput(let reason): "cannot write to the standard output: \(reason)"
        }
    }
}
