public import FirnData
public import FirnImage
public import FoundationEssentials

extension ImagePipeline {
    /// Chooses parts of a pipeline for each request, changes what is sent and what is kept, and is told what happens to
    /// tasks.
    ///
    /// Everything has a default, which leaves things as the configuration has them. Calls come on any thread, several
    /// at once, never with a lock of the engine's held; they should return quickly, since workers wait for them.
    ///
    /// A type with a delegate method of Nuke's that is not called here, such as
    /// `willLoadData(for:urlRequest:pipeline:)`, does not compile; the error names the method to implement.
    public protocol Delegate: AnyObject, Sendable, _UncalledDelegateMethods {
        // MARK: Parts

        /// The loader of a request's bytes. Default: the configuration's. Not asked for files, `data:` addresses and
        /// closures.
        func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading

        /// The decoder of content; `nil` if it is no image. Default: the configuration's first that recognizes it.
        func imageDecoder(for context: ImageDecodingContext, pipeline: ImagePipeline) -> (any ImageDecoding)?

        /// The encoder of an image that is to be kept on disk, where the configuration's policy asks for that; `nil` to
        /// keep none. Default: the configuration's.
        func imageEncoder(for context: ImageEncodingContext, pipeline: ImagePipeline) -> (any ImageEncoding)?

        /// The memory cache of a request; `nil` for none. Default: the configuration's.
        func imageCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any ImageCaching)?

        /// The data cache of a request; `nil` for none. Default: the configuration's.
        func dataCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any DataCaching)?

        /// What stands for the request's address in the keys of both caches; `nil`, the default, for the address itself
        /// or the request's ``ImageRequest/imageID``.
        ///
        /// Size, layout and processors are added by the pipeline, so requests for several sizes of one image may
        /// have one key.
        func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String?

        // MARK: Loading

        /// Called just before a request is sent, and again before its rest is asked for, if the transfer was
        /// interrupted.
        ///
        /// May take its time: no thread waits. Not called for files, `data:` addresses and closures. What it changes is
        /// not part of the request's identity. Also called to learn what would be sent, when a kept response depends on
        /// header fields of its request (`Vary`). Fields that are added only after an `await` that suspends are not
        /// seen there: users with different ones need different data caches, or keys (``cacheKey(for:pipeline:)``).
        /// - Returns: what is to be sent; `dataRequest`, the default, to leave it as it is.
        /// - Throws: anything, to let the request fail with that as its cause.
        func willLoadData(
            for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
        ) async throws -> DataRequest

        /// Called before bytes that have proved to be an image go into the data cache.
        ///
        /// - Returns: what is to be kept instead, `data`, the default, or `nil` for nothing.
        func willCache(data: Data, for request: ImageRequest, pipeline: ImagePipeline) async -> Data?

        /// A data cache could not be read or written. Nothing else comes of it: the load goes on as if the cache had
        /// nothing, and what could not be kept is loaded again when it is next wanted.
        func dataCacheFailed(with error: DataCachingError, for request: ImageRequest, pipeline: ImagePipeline)

        // MARK: Tasks

        /// A task was made; on the thread that asked for it. An image that ``ImagePipeline/image(for:)-(ImageRequest)``
        /// finds in the memory cache makes none.
        func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline)

        /// The memory cache had nothing: the task is handed to the engine.
        func imageTaskDidStart(_ task: ImageTask, pipeline: ImagePipeline)

        /// Something happened to a task; its end comes last and exactly once.
        ///
        /// Passes on previews that other subscribers want. None is made for the delegate alone.
        func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline)
    }
}

/// The name that ``ImagePipeline/Delegate`` has in code written for others.
public typealias ImagePipelineDelegate = ImagePipeline.Delegate

extension ImagePipeline.Delegate {
    /// The configuration's loader.
    public func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading {
        pipeline.configuration.dataLoader
    }

    /// The decoder that the configuration chooses: by default its first that recognizes the content.
    public func imageDecoder(for context: ImageDecodingContext, pipeline: ImagePipeline) -> (any ImageDecoding)? {
        RegisteredDecoders.decoder(for: context) ?? pipeline.configuration.makeImageDecoder(context)
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

    /// The request as it is.
    public func willLoadData(
        for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
    ) async throws -> DataRequest { dataRequest }

    /// The bytes as they are.
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
