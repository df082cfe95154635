import FirnSync
public import FoundationEssentials

extension ImagePipeline {
    /// Returns requests for the images in a folder, sorted by name.
    ///
    /// Images are recognized by their first bytes, regardless of their names; hidden names are skipped. A thread of
    /// Firn reads the folder. The requests read the files directly: their bytes are not copied into the data cache.
    /// - Parameters:
    ///   - folder: the `file:` URL.
    ///   - isRecursive: whether to include subfolders. Default: no.
    ///   - priority: the priority of every request.
    ///   - targetSize: the target size of every request, such as that of a thumbnail.
    /// - Throws: ``ImageLoadingError`` if the folder cannot be read, or is not a file URL. Unreadable entries are
    ///   skipped.
    public func requests(
        inFolder folder: URL, isRecursive: Bool = false, processors: [any ImageProcessing] = [],
        priority: ImageRequest.Priority = .normal, targetSize: TargetSize? = nil
    ) async throws(ImageLoadingError) -> [ImageRequest] {
        let (files, makeDecoder) = (configuration.files, configuration.makeImageDecoder)
        guard let path = folder.localPath else {
            throw .init(.request, at: .request, source: folder.absoluteString, message: "is not a file URL")
        }
        let found: Result<[String], ImageLoadingError> = await withUnsafeContinuation { continuation in
            let isStarted = WorkerThread.start {
                var found: [String] = []
                let visit = Result { () throws(DataFileError) in
                    try files.visitFiles(in: path, isRecursive: isRecursive, followsLinks: true) { path, status in
                        // Files that are generated on reading have no length, and reading them may block.
                        if status.size > 0, let head = try? files.read(path, first: ImageFormat.sniffLength),
                            makeDecoder(ImageDecodingContext(request: ImageRequest(path: path), data: head)) != nil
                        {
                            found.append(path)
                        }
                        return true
                    }
                }
                let result = visit.mapError { ImageLoadingError(reading: path, $0) }
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
