extension ImagePipeline {
    /// Builds the pyramid of a large image on disk: tiles at full size and at each half of it. Later requests with a
    /// ``ImageRequest/region`` are served from the tiles without a decode.
    ///
    /// The image is decoded once, row by row. A pyramid takes four bytes for each pixel of the image and a third more,
    /// in the bitmap store and under its limits. For a sequential JPEG, tiles start at a quarter of the columns and
    /// rows, and take a sixteenth; regions at larger sizes are decoded from the file by an index of its parts. A
    /// pyramid is used as long as the file is unchanged, or the response has the same validators (`ETag`,
    /// `Last-Modified`). Processors, target size and region of the request are ignored.
    ///
    /// A pipeline starts a build by itself when a second region of the same image of at least 16 megapixels is
    /// decoded, if the format has to be decoded from its start. Builds run one after the other on a thread of their
    /// own; ``ImagePipeline/invalidate()`` cancels them. Without a bitmap store, it builds only the index of a
    /// sequential JPEG, and keeps it in memory.
    ///
    /// Requests for the same image share the build; cancelling the last of them cancels it.
    ///
    /// - Parameter progress: called with the number of image rows that are in tiles. Skips steps while it is running.
    /// - Throws: ``ImageLoadingError``, with fault `request` if the pipeline has no bitmap store, `source` if a
    ///   change of the source could not be detected, and `limit` if the pyramid is larger than the store allows or the
    ///   disk fails. Nothing of the pyramid is left then, and an older one of the same bytes stays.
    public func buildPyramid(
        for request: ImageRequest, progress: (ImageTask.Progress) -> Void = { _ in }
    ) async throws(ImageLoadingError) {
        let task = try pyramidTask(for: request)
        for await step in task.progressUpdates { progress(step) }
        _ = try await task.pyramid
    }

    /// Starts the build of a pyramid, or joins that of the same image.
    package func pyramidTask(for request: ImageRequest) throws(ImageLoadingError) -> PyramidTask {
        let request = keyed(request).unmade
        let (files, read) = (configuration.files, engine.read)
        let task = engine.pyramids.begin(request, isAutomatic: false) { [weak self] build in
            if let path = request.identities.path {
                guard request.options.isTrusted else { throw ImageLoadingError.untrustedFile(request) }
                return FetchedBytes(try files.open(path))
            }
            // Order: the data cache first, since it knows how long the bytes are fresh.
            if case .done(.bytes(let bytes)?) = read.run(request) { return bytes }
            guard let self else { throw CancellationError() }
            return try self.loaded(request, for: build)
        }
        guard let task else { throw .invalidated(request) }
        return task
    }

    /// Loads the bytes of a request. Blocks the thread of the builds.
    private func loaded(_ request: ImageRequest, for build: PyramidBuild) throws -> FetchedBytes {
        let parker = BlockingResult<FetchedBytes>()
        let task = loadData(with: request, on: .immediate) { result in
            parker.set(
                result.map { data, response in
                    FetchedBytes(chunks: [data], count: data.count, response: response)
                })
        }
        build.whenCancelled { task.cancel() }
        return try parker.wait()
    }
}
