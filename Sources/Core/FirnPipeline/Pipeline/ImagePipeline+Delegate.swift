extension ImagePipeline {
    /// Chooses parts of a pipeline for each request, changes requests before they are sent and bytes before they are
    /// stored, and receives the events of tasks.
    ///
    /// Every method has a default that follows the configuration. Calls come on any thread, several at once, and never
    /// under a lock of the engine. They should return quickly, since workers wait for them.
    ///
    /// A type that was written for Nuke conforms to `NukeDelegate` of `FirnMigration`, whose methods are Nuke's.
    public protocol Delegate: AnyObject, Sendable {
        // MARK: Parts

        /// The loader of a request's bytes. Default: the configuration's. Not called for files, `data:` addresses and
        /// closures.
        func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading

        /// The decoder of content; `nil` if it is not an image. Default: the configuration's first that recognizes it.
        func imageDecoder(for context: ImageDecodingContext, pipeline: ImagePipeline) -> (any ImageDecoding)?

        /// The encoder of an image that the configuration's policy stores on disk; `nil` to store none. Default: the
        /// configuration's.
        func imageEncoder(for context: ImageEncodingContext, pipeline: ImagePipeline) -> (any ImageEncoding)?

        /// The memory cache of a request; `nil` for none. Default: the configuration's.
        func imageCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any ImageCaching)?

        /// The data cache of a request; `nil` for none. Default: the configuration's.
        func dataCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any DataCaching)?

        /// Replaces the request's address in the keys of both caches. `nil`, the default, stands for the address itself
        /// or the request's ``ImageRequest/imageID``.
        ///
        /// Size, layout and processors are added by the pipeline, so requests for several sizes of one image may
        /// have one key.
        func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String?

        // MARK: Loading

        /// Called just before a request is sent, and again before a range request if the transfer was interrupted.
        ///
        /// May take long: no thread waits. Not called for files, `data:` addresses and closures. Its changes are not
        /// part of the request's identity. Also called to compare header fields if a response, stored or arriving,
        /// depends on those of its request (`Vary`), and before stored bytes are the result of
        /// ``ImagePipeline/data(for:)-(ImageRequest)``. Fields that are added only after a suspending `await` are not
        /// seen there, and the response is requested again.
        /// - Returns: the request to send. The default returns `dataRequest` unchanged.
        /// - Throws: any error; it becomes the cause of the request's failure.
        func willLoadData(
            for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
        ) async throws -> DataRequest

        /// Called before the verified bytes of an image are stored in the data cache.
        ///
        /// - Returns: the bytes to store; `nil` to store nothing. The default returns `data` unchanged.
        func willCache(data: Data, for request: ImageRequest, pipeline: ImagePipeline) async -> Data?

        /// Called if a data cache could not be read or written. The load continues as if the cache had no entry; bytes
        /// that could not be stored are loaded again by the next request.
        func dataCacheFailed(with error: DataCachingError, for request: ImageRequest, pipeline: ImagePipeline)

        // MARK: Tasks

        /// Called on the caller's thread when a task is created. An image that
        /// ``ImagePipeline/image(for:)-(ImageRequest)`` finds in the memory cache creates none.
        func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline)

        /// Called when the memory cache has no image and the task goes to the engine.
        func imageTaskDidStart(_ task: ImageTask, pipeline: ImagePipeline)

        /// Called for each event of a task; its end comes last and exactly once.
        ///
        /// Receives the previews that other subscribers request. None is made for the delegate alone.
        func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline)
    }
}

extension ImagePipeline.Delegate {
    /// The configuration's loader.
    public func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading {
        pipeline.configuration.dataLoader
    }

    /// The decoder that the configuration chooses: by default its first that recognizes the content.
    public func imageDecoder(for context: ImageDecodingContext, pipeline: ImagePipeline) -> (any ImageDecoding)? {
        RegisteredDecoders.shared.decoder(for: context) ?? pipeline.configuration.makeImageDecoder(context)
    }

    /// The configuration's encoder.
    public func imageEncoder(for context: ImageEncodingContext, pipeline: ImagePipeline) -> (any ImageEncoding)? {
        pipeline.configuration.makeImageEncoder(context)
    }

    /// The configuration's memory cache.
    public func imageCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any ImageCaching)? {
        pipeline.configuration.imageCache
    }

    /// The configuration's data cache.
    public func dataCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any DataCaching)? {
        pipeline.configuration.dataCache
    }

    /// Returns nil: the request's own key.
    public func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String? { nil }

    /// Returns the request unchanged.
    public func willLoadData(
        for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
    ) async throws -> DataRequest { dataRequest }

    /// Returns the bytes unchanged.
    public func willCache(data: Data, for request: ImageRequest, pipeline: ImagePipeline) async -> Data? { data }

    /// The default does nothing.
    public func dataCacheFailed(with error: DataCachingError, for request: ImageRequest, pipeline: ImagePipeline) {}

    /// The default does nothing.
    public func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline) {}

    /// The default does nothing.
    public func imageTaskDidStart(_ task: ImageTask, pipeline: ImagePipeline) {}

    /// The default does nothing.
    public func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline) {}
}
