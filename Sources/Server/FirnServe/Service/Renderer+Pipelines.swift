import Firn
import FirnCache
import FirnData
import FirnHTTP
import FirnPipeline
import FirnSync

extension Renderer {
    /// Creates a renderer with pipelines of its own.
    ///
    /// - Parameter observer: receives the events of the pipelines.
    init(_ settings: ServeSettings, observer: (any PipelineObserver)?) {
        let limits = settings.inTime(settings.limits)
        var loader = DataLoader.Configuration()
        loader.limits = limits
        loader.network = settings.network
        loader.totalTimeout = settings.timeLimit
        var configuration = ImagePipeline.Configuration()
        configuration.limits = limits
        configuration.dataLoader = DataLoader(configuration: loader)
        configuration.dataCache = settings.cacheDirectory.map {
            DataCache(directory: "\($0)/sources", isShared: settings.isCacheShared)
        }
        if let credentials = settings.s3Credentials, !settings.s3Sources.addresses.isEmpty {
            configuration.dataLoader = S3DataLoader(
                sources: settings.s3Sources, credentials: credentials,
                transport: S3DataLoader.transport(limits: settings.limits, timeLimit: settings.timeLimit),
                others: DataLoader(configuration: loader))
        }
        configuration.retries = Renderer.retries
        configuration.failureTimes = ServeError.sourceTimes
        // Results are kept, encoded; images are not.
        configuration.imageCache = nil
        configuration.isProgressiveDecodingEnabled = false
        configuration.keepsAnimationData = false
        configuration.scheduling.computingLimit = Machine.cores
        configuration.automaticPyramidPixels = 0
        configuration.observers = observer.map { [$0] } ?? []
        self.init(
            pipeline: ImagePipeline(configuration: configuration), limits: limits,
            parts: Renderer.parts(settings, observer), partLimits: settings.inTime(settings.iiif.sources))
    }

    /// The retries of one request to a source: one, after a lost connection. A client that gets the failure knows when
    /// to come back, and keeps no place in the queue until then.
    private static var retries: DataRetryPolicy {
        var policy = DataRetryPolicy()
        policy.limit = 1
        policy.failures = [.connection, .cutShort]
        policy.firstDelay = .milliseconds(100)
        return policy
    }

    /// Returns the pipeline for parts of large files, which keeps tiles of those that must be decoded from the start.
    private static func parts(_ settings: ServeSettings, _ observer: (any PipelineObserver)?) -> ImagePipeline {
        let keepsTiles = settings.iiif.tileBytes > 0 && settings.iiif.tiledPixels > 0
        var configuration = ImagePipeline.Configuration.ephemeral
        if keepsTiles, let folder = settings.cacheDirectory {
            // Tiles alone: results are kept, encoded.
            configuration.bitmapStore = BitmapStore(
                directory: "\(folder)/tiles", limits: BitmapStoreLimits(bytes: settings.iiif.tileBytes, entryBytes: 0),
                isShared: settings.isCacheShared)
        }
        configuration.limits = settings.inTime(settings.iiif.sources)
        configuration.pyramidLimits = settings.iiif.sources
        configuration.imageCache = nil
        configuration.isProgressiveDecodingEnabled = false
        configuration.keepsAnimationData = false
        configuration.scheduling.computingLimit = Machine.cores
        configuration.automaticPyramidPixels = settings.iiif.tiledPixels
        configuration.observers = observer.map { [$0] } ?? []
        return ImagePipeline(configuration: configuration)
    }
}
