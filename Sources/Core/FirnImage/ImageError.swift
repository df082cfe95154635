import FirnSync

/// The error of everything that is done to one image: reading, decoding, processing, encoding and writing it.
///
///     do throws(ImageError) {
///         let image = try await Bitmap(contentsOf: photo, targetSize: 640)
///         try await image.applying([.sepia()]).write(to: result)
///     } catch {
///         print(error.fault == .missing ? "there is no such file" : "\(error)")
///     }
///
/// The loads of a pipeline throw ``/FirnPipeline/ImageLoadingError``, which has this error if one of these stages
/// failed.
public struct ImageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Fault: String, Hashable, Sendable {
        /// The content is damaged, truncated or not an image.
        case data
        /// More bytes are needed; the decoding continues.
        case incomplete
        /// The build, or a library on this machine, lacks the format or a feature that the image needs.
        case unsupported
        /// A limit of ``ImageLimits`` or of the format is exceeded, or there is no memory.
        case limit
        /// The call is wrong: a parameter is invalid, the file has no such frame, or the order of calls is wrong.
        /// Errors of other types, thrown by code of the program, have this fault, too.
        case request
        /// The image lacks something that the step needs, or the format cannot hold it: transparent pixels, an empty
        /// size, frames of several sizes.
        case image
        /// A library failed for another reason.
        case library
        /// The file does not exist.
        case missing
        /// The system cannot open, read or write the file.
        case file
        /// The caller cancelled, or the task was cancelled.
        case cancelled
    }

    /// The step that failed.
    public enum Stage: String, Hashable, Sendable {
        /// Getting the bytes.
        case reading
        /// Recognizing and decoding them.
        case decoding
        /// Changing pixels, or allocating them.
        case processing
        /// Encoding pixels.
        case encoding
        /// Writing the file.
        case writing
    }

    /// The kind of failure.
    public let fault: Fault
    /// The step that failed.
    public let stage: Stage
    /// The reason, in one line, for everyone: without the path, the format and ``setting``.
    public let message: String
    /// The path of the file; `nil` for bytes and pixels in memory.
    public let path: String?
    /// The format of the file; `nil` if it is unknown.
    public let format: ImageFormat?
    /// The property that sets an exceeded limit, such as `ImageLimits.maximumPixels`; `nil` if no property does.
    public let setting: String?
    /// The original error of code of the program or of the system; `nil` if there is none.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - fault: the kind of failure.
    ///   - stage: the step that failed.
    ///   - message: the reason, in one line without the path and the format.
    ///   - path: the path of the file. Default: none.
    ///   - format: the format of the file. Default: unknown.
    ///   - setting: the property that sets an exceeded limit. Default: none.
    ///   - underlying: the original error. Default: none. It lives as long as this error, so it should hold nothing
    ///     large.
    public init(
        _ fault: Fault, at stage: Stage, _ message: String, path: String? = nil, format: ImageFormat? = nil,
        setting: String? = nil, underlying: (any Error)? = nil
    ) {
        (self.fault, self.stage, self.message, self.path) = (fault, stage, message, path)
        (self.format, self.setting, self.underlying) = (format, setting, underlying)
    }

    /// The path, the format, the reason, and the property that sets the limit in parentheses, in one line. For logs.
    public var description: String { (path.map { "\($0): " } ?? "") + detail }

    /// The description without the path.
    package var detail: String { reason + (setting.map { " (\($0))" } ?? "") }

    /// The format and the message, in one line, for everyone.
    package var reason: String { (format.map { "\($0): " } ?? "") + message }

    /// Returns whether all parts are equal except the underlying errors, which need not be comparable.
    public static func == (a: ImageError, b: ImageError) -> Bool {
        (a.fault, a.stage, a.message) == (b.fault, b.stage, b.message)
            && (a.path, a.format, a.setting) == (b.path, b.format, b.setting)
    }

    /// Hashes the fault and the message.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(fault)
        hasher.combine(message)
    }

    /// Converts any error. One of this type keeps what it has, and gets the path and the format if it has none.
    package init(_ error: any Error, at stage: Stage, path: String? = nil, format: ImageFormat? = nil) {
        if let error = error as? ImageError {
            self.init(
                error.fault, at: error.stage, error.message, path: error.path ?? path, format: error.format ?? format,
                setting: error.setting, underlying: error.underlying)
        } else if error is CancellationError {
            self.init(.cancelled, at: stage, "the task was cancelled", path: path, format: format)
        } else {
            self.init(
                error is ThreadShortage ? .limit : .request, at: stage, "\(error)", path: path, format: format,
                underlying: error)
        }
    }

    /// Returns whether an error is that of a cancellation.
    package static func isCancellation(_ error: any Error) -> Bool {
        error is CancellationError || (error as? ImageError)?.fault == .cancelled
    }

    /// Runs `body` and converts its errors.
    package static func at<Value>(_ stage: Stage, _ body: () throws -> Value) throws(ImageError) -> Value {
        do { return try body() } catch { throw ImageError(error, at: stage) }
    }
}
