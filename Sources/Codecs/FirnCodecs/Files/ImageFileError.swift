import FirnData

/// A failure to read, convert or write an image file, or the bytes of one.
public struct ImageFileError: Error, Sendable, CustomStringConvertible {
    /// The path of the file; `nil` for bytes in memory.
    public let path: String?
    /// The reason, in one line without the path.
    public let message: String
    /// The status of an HTTP response to the client that sent the file.
    ///
    /// | status | reason |
    /// |---|---|
    /// | 408 | the bytes did not arrive in time |
    /// | 413 | too many bytes or pixels, or too much memory |
    /// | 415 | not an image, or not of an accepted format |
    /// | 422 | damaged or cut off |
    /// | 503 | the converter is busy |
    /// | 504 | the conversion took too long |
    /// | 500 | anything else: a file that cannot be opened, a wrong parameter, a decoder program that is missing |
    public let status: Int
    /// The original error: an ``/FirnImage/ImageDecodingError``, ``/FirnImage/ImageProcessingError``,
    /// ``/FirnImage/ImageEncodingError``, or the file system's. `nil` if there is none.
    public let underlying: (any Error)?

    /// Creates an error; without an original one unless it is passed.
    init(_ path: String?, _ status: Int, _ message: String, of underlying: (any Error)? = nil) {
        self.path = path
        self.status = status
        self.message = message
        self.underlying = underlying
    }

    /// Creates an error from the error of a stage.
    init(_ path: String?, _ error: any Error) {
        self.init(path, ImageFileError.status(of: error), ImageFileError.message(of: error), of: error)
    }

    /// The path and the reason, in one line.
    public var description: String { path.map { "\($0): \(message)" } ?? message }

    private static func message(of error: any Error) -> String {
        guard let error = error as? DataFileError else { return "\(error)" }
        return "cannot \(error.call): \(error.reason)"
    }

    private static func status(of error: any Error) -> Int {
        switch error {
        case let error as ImageDecodingError:
            // Not the client's fault.
            if error == WorkerProgram.missing { return 500 }
            if error.isLate { return 504 }
            return switch error.fault {
            case .limit: 413
            case .unsupported: 415
            case .data, .incomplete, .request, .cancelled: 422
            }
        case let error as ImageProcessingError:
            return switch error.fault {
            case .limit: 413
            case .image: 422
            case .parameter: 500
            }
        case is BitmapError: return 413
        default: return 500
        }
    }
}

extension ImageFileError {
    /// Runs `body` and wraps its errors. `CancellationError`, and errors that are wrapped already, pass.
    ///
    /// - Parameter path: the path of the file; `nil` for bytes in memory.
    package static func naming<Value>(_ path: String?, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw error is CancellationError || error is ImageFileError ? error : ImageFileError(path, error)
        }
    }
}
