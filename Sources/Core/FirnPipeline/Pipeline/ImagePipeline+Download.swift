import FirnCache
public import FirnData
import FirnImage
public import FoundationEssentials

extension ImagePipeline {
    /// Downloads the data of a request, of any length, into a file.
    ///
    /// The file has its name once it is complete; until then an older one remains, whose permissions, owner and
    /// attributes the new one gets. Peak memory does not depend on the length of the transfer, and
    /// ``/FirnImage/ImageLimits/maximumBytes`` does not apply to it, except that of a network policy.
    ///
    /// The bytes so far are in `.NAME.firn-part` beside the file. If the server sends a strong validator, they stay
    /// after a failure, a cancellation and a killed process, and the next download to the same file requests the rest.
    /// A body that has changed meanwhile is downloaded completely. Network errors are retried by
    /// ``Configuration/retries``.
    ///
    /// A file, and a fresh entry of the data cache, is copied. If a condition of the request holds (status 304), the
    /// older file stays. Otherwise the download has a transfer of its own, which other requests
    /// do not join, and its bytes enter no cache. At most eight downloads of a process run at the same time; others
    /// wait.
    ///
    /// - Parameters:
    ///   - file: a `file:` URL. Links are followed.
    ///   - progress: called when bytes were written, with all bytes in the file, on a thread of the download; never
    ///     after this has returned. Default: `nil`.
    /// - Returns: the response, or that of the last part (status 206); `nil` if the source has none, as for a file.
    /// - Throws: ``ImageLoadingError``. Its `underlying` is an ``/FirnImage/ImageError`` if the file could not be
    ///   written. The older file, or none, then remains. A cancelled wait throws ``ImageLoadingError/cancelled``.
    @discardableResult
    public func download(
        _ request: ImageRequest, to file: URL, progress: (@Sendable (ImageTask.Progress) -> Void)? = nil
    ) async throws(ImageLoadingError) -> DataResponse? {
        guard let path = file.localPath else {
            throw ImageLoadingError(
                .request, at: .request, of: request, "the target \(file.absoluteString) is not the URL of a local file")
        }
        let request = keyed(request.forBytes)
        let download = FileDownload(request, to: path, engine.read, engine.transfers, progress)
        guard engine.add(download) else { throw .invalidated(request) }
        defer { engine.remove(download) }
        do {
            return try await download.response()
        } catch let error as DataFileError {
            let cause = ImageError(error, at: .writing)
            throw ImageLoadingError(.request, at: .loading, source: path, message: cause.message, underlying: cause)
        } catch {
            if let error = ImageLoadingError(error) { throw error }
            if error is CancellationError { throw .cancelled(source: request.description) }
            throw ImageLoadingError(.pipeline, at: .loading, of: request, "\(error)")
        }
    }
}
