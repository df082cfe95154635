public import FirnData
public import FirnImage
import FirnSync

extension ImagePipeline {
    /// Returns requests for the images in a folder, sorted by name.
    ///
    /// Images are recognized by their first bytes, regardless of their names; hidden names are skipped. A thread of
    /// Firn reads the folder. The requests read the files directly: their bytes are not copied into the data cache.
    /// - Parameters:
    ///   - isRecursive: whether to include subfolders. Default: no.
    ///   - priority: the priority of every request.
    ///   - targetSize: the target size of every request, such as that of a thumbnail.
    /// - Throws: ``ImageLoadingError`` if the folder cannot be read. Unreadable entries are skipped.
    public func requests(
        inFolder path: String, isRecursive: Bool = false, processors: [any ImageProcessing] = [],
        priority: ImageRequest.Priority = .normal, targetSize: TargetSize? = nil
    ) async throws(ImageLoadingError) -> [ImageRequest] {
        let folder = FolderImages(
            files: configuration.files, decoders: configuration.decoders, isRecursive: isRecursive)
        let found: Result<[String], ImageLoadingError> = await withUnsafeContinuation { continuation in
            let look: @Sendable () -> Void = {
                do throws(DataFileError) {
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
