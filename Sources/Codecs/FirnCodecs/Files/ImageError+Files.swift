import FirnData
import FirnSync

extension ImageError {
    /// The status of an HTTP response to the client that sent the image. Respond with
    /// ``/FirnImage/ImageError/message``, which has neither a path nor a name of this library.
    ///
    /// | status | reason |
    /// |---|---|
    /// | 408 | the bytes did not arrive in time |
    /// | 413 | too many bytes or pixels, or too much memory |
    /// | 415 | not an image, or not of an accepted format |
    /// | 422 | damaged or cut off |
    /// | 499 | the task was cancelled |
    /// | 503 | the converter is busy, or the decoder program cannot be started |
    /// | 504 | the conversion took too long, or the decoder program does not respond |
    /// | 500 | anything else: a file that cannot be opened, a wrong parameter, a decoder program that is missing |
    public var responseStatus: Int {
        // The decoder program is not the client's fault.
        if let unavailable = underlying as? DecoderUnavailable { return unavailable.responseStatus }
        return switch (fault, stage) {
        case (.cancelled, _): 499
        case (.limit, .encoding), (.limit, .writing): 500
        case (.limit, _) where underlying is ThreadShortage: 503
        case (.limit, _):
            switch setting {
            case ImageError.lateBytes.setting: 408
            case ImageError.busy.setting: 503
            case ImageError.late.setting, ImageError.lateConversion.setting: 504
            default: 413
            }
        // No decoder recognizes content whose format is unknown.
        case (.data, _): format == nil ? 415 : 422
        case (.incomplete, _), (.request, .decoding), (.image, .processing): 422
        case (.unsupported, .decoding): 415
        default: 500
        }
    }

    /// The error of a call that is one too many.
    static let busy = ImageError(
        .limit, at: .reading, "the converter is busy; try again in some seconds",
        setting: "ImageConverter.Configuration.maximumWaiting")

    /// The error of bytes that arrive too slowly.
    static let lateBytes = ImageError(
        .limit, at: .reading, "the bytes take longer than allowed",
        setting: "ImageConverter.Configuration.receivingTime")

    /// The error of a conversion that exceeded its time limit.
    static let lateConversion = ImageError(
        .limit, at: .processing, "the conversion takes longer than allowed",
        setting: "ImageConverter.Configuration.time")

    /// Runs `body`, which reads or writes a file. Its errors get the path.
    package static func file<Value>(
        _ path: String, at stage: Stage, _ body: () throws -> Value
    ) throws(ImageError) -> Value {
        do {
            return try body()
        } catch let error as DataFileError {
            throw ImageError(
                error.isMissing ? .missing : .file, at: stage, "cannot \(error.call): \(error.reason)", path: path,
                underlying: error)
        } catch {
            throw ImageError(error, at: stage, path: path)
        }
    }
}
