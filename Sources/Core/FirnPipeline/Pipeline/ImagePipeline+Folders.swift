import FirnCache
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
        let (files, decoders) = (configuration.files, configuration.decoders)
        let walk = FolderWalk(files, isRecursive: isRecursive, followsLinks: true)
        var folder = path
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        let found: Result<[String], ImageLoadingError> = await withUnsafeContinuation { [folder] continuation in
            let isStarted = WorkerThread.start {
                var found: [String] = []
                let visit = Result { () throws(DataFileError) in
                    try walk.visit(folder) { path, status in
                        // Files that are generated on reading have no length, and reading them may block.
                        if status.size > 0, let head = try? files.read(path, first: ImageFormat.sniffLength),
                            decoders.contains(where: { $0.recognizes(head) != nil })
                        {
                            found.append(path)
                        }
                        return true
                    }
                }
                let result = visit.mapError { error in
                    ImageLoadingError(
                        .source, at: .loading, source: path, message: "cannot \(error.call): \(error.reason)",
                        underlying: ImageError(error))
                }
                continuation.resume(returning: result.map { _ in found })
            }
            if !isStarted {
                let error = ImageLoadingError(
                    .pipeline, at: .loading, source: path, message: "\(ThreadShortage())")
                continuation.resume(returning: .failure(error))
            }
        }
        return try found.get().map {
            ImageRequest(path: $0, processors: processors, priority: priority, targetSize: targetSize)
        }
    }
}
