import FirnData
public import FirnImage
import FirnSync

extension ImagePipeline {
    /// Requests for the images in a folder, sorted by name: the case of a documents directory.
    ///
    /// Images are told by their first bytes, whatever their names are; hidden names are skipped. The folder is read by
    /// a thread of Firn's own. The requests read files where they are: their bytes are not copied into the data cache.
    /// - Parameters:
    ///   - isRecursive: whether folders below it count, too. Default: no.
    ///   - priority: of every request.
    ///   - targetSize: of every request; a thumbnail's, say.
    /// - Throws: ``ImageLoadingError`` if the folder cannot be read; what cannot be read in it is left out.
    public func requests(
        inFolder path: String, isRecursive: Bool = false, processors: [any ImageProcessing] = [],
        priority: ImageRequest.Priority = .normal, targetSize: TargetSize? = nil
    ) async throws(ImageLoadingError) -> [ImageRequest] {
        let folder = FolderImages(
            files: configuration.files, decoders: configuration.decoders, isRecursive: isRecursive)
        let found: Result<[String], ImageLoadingError> = await withUnsafeContinuation { continuation in
            let look: @Sendable () -> Void = {
                do throws(FileError) {
                    continuation.resume(returning: .success(try folder.paths(in: path)))
                } catch {
                    let error = ImageLoadingError(
                        .source, at: .loading, source: path, message: "cannot \(error.call): \(error.reason)",
                        underlying: error)
                    continuation.resume(returning: .failure(error))
                }
            }
            if !WorkerThread.start(look) {
                let error = ImageLoadingError(
                    .pipeline, at: .loading, source: path, message: "the system gave no thread")
                continuation.resume(returning: .failure(error))
            }
        }
        return try found.get().map {
            ImageRequest(path: $0, processors: processors, priority: priority, targetSize: targetSize)
        }
    }
}
