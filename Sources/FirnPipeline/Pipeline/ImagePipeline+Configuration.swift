public import FirnData
public import FirnImage

extension ImagePipeline {
    /// Selects what a pipeline stores in its data cache.
    public typealias DataCachePolicy = FirnPipeline.DataCachePolicy

    /// The parts and settings of a pipeline. The module `Firn` has complete configurations.
    public struct Configuration: Sendable {
        /// Loads data from the network, or from any source other than files.
        public var dataLoader: any DataLoading
        /// The disk cache of originals. Default: `nil`, no disk cache.
        public var dataCache: (any DataCaching)?
        /// Selects what the data cache stores. Default: the bytes as loaded.
        public var dataCachePolicy = DataCachePolicy.storeOriginalData
        /// The encoder of images for the data cache, if ``dataCachePolicy`` stores encoded images. If it is `nil`,
        /// originals are stored.
        public var imageEncoder: (any ImageEncoding)?
        /// The disk cache of partial bodies, from which a later process resumes. Default: `nil`, none.
        ///
        /// It needs limits of its own and must hold nothing else. Only responses with a strong validator are stored.
        /// The missing bytes are requested with `If-Range` (RFC 9110, section 13.1.5).
        public var partialDataCache: (any DataCaching)?
        /// The memory cache of decoded images. Default: `nil`, no memory cache.
        public var imageCache: (any ImageCaching)?
        /// The disk store of decoded images, which are shown without another decode. It is looked up after the memory
        /// cache and before the data cache. Default: `nil`, none.
        package var bitmapStore: (any BitmapStoring)?
        /// The fewest pixels of an image whose pyramid is built when a second region of it is decoded: see
        /// ``ImagePipeline/buildPyramid(for:progress:)``. Default: 2^24 (17 megapixels). `Int.max` for never. Without a
        /// bitmap store there are no pyramids.
        public var automaticPyramidPixels = 1 << 24
        /// The limits of decodes that build pyramids. No request waits for one, so it may take longer than other
        /// decodes. `nil` (the default) for the limits of the others.
        package var pyramidLimits: ImageLimits?
        /// The decoders. The first one that recognizes the content decodes it.
        public var decoders: [any ImageDecoding]
        /// The file system that `file:` addresses are read from. Default: the system's.
        package var files: any FileSystem = LocalFileSystem()
        /// The limits of files, decodes and processors. Default: `ImageLimits()`.
        public var limits = ImageLimits()
        /// The number of bytes after which a transfer ends if no decoder recognizes them and all subscribed tasks want
        /// an image; 0 means never. The load fails as a load of the whole body would. Default: 64 KiB, more than any
        /// format needs to be recognized.
        public var unknownContentLimit = 64 << 10
        /// Whether previews of images that are still loading are delivered to ``ImageTask/previews`` and
        /// ``ImageTask/events``. Without a subscriber no preview is decoded. Default: true.
        public var isProgressiveDecodingEnabled = true
        /// Whether equal requests share one download and one decode. Default: true. If false, each request has a job of
        /// its own, for example to measure, or if the source counts requests. Caches are used in both cases.
        public var isTaskCoalescingEnabled = true
        /// Whether the first frame of an animation keeps the file's bytes (``/FirnImage/ImageContainer/data``), so that
        /// the other frames can be played without another load. Default: true. The load ends with the last byte, and
        /// the bytes count in the cost of the memory cache. If false, the load ends as soon as the first frame is
        /// decoded, and only animations in local files can be played: for programs that show thumbnails alone.
        public var keepsAnimationData = true
        /// The policy for sending failed requests again. Default: never; a standard pipeline uses
        /// ``/FirnData/RetryPolicy/init()``. A transfer that waits for a retry takes no slot. A body that was cut short
        /// is resumed if the server allows it.
        public var retries = RetryPolicy.none
        /// The times for which failed addresses are not requested again. Default: none; a standard pipeline uses
        /// ``/FirnData/FailureTimes/init()``. A request that reloads ignores them; see also
        /// ``ImagePipeline/forgetFailures()``.
        public var failureTimes = FailureTimes.none
        /// The initial limits of concurrent work; see ``ImagePipeline/scheduling``.
        public var scheduling = Scheduling()
        /// The observers, which receive the pipeline's events as they happen. Default: none; nothing is measured then.
        public var observers: [any PipelineObserver] = []
        /// The memory budget that decodes share with the memory cache and animations of the same budget. Default:
        /// `nil`; then only ``decodingMemoryLimit`` bounds decodes.
        public var memoryBudget: MemoryBudget?

        /// The rule of how long HTTP responses are fresh and how they are revalidated. Default: `nil`; cached responses
        /// stay fresh forever. The module `Firn` sets `HTTPCachePolicy.images`.
        package var responseCachePolicy: (any ResponseCachePolicy)?
        /// The freshness of cached data, unless the request states its own. Default: as stated by the source.
        public var freshness = Freshness.followsSource
        /// The clock of freshness: time since 1970. Default: `nil`, the system's clock.
        public var now: (@Sendable () -> Duration)?

        /// The value of ``makeImageDecoder``, if it was set.
        package var decoderChoice: (@Sendable (ImageDecodingContext) -> (any ImageDecoding)?)?
        /// The value of ``makeImageEncoder``, if it was set.
        package var encoderChoice: (@Sendable (ImageEncodingContext) -> (any ImageEncoding)?)?

        /// Creates a configuration without caches.
        public init(dataLoader: any DataLoading, decoders: [any ImageDecoding]) {
            self.dataLoader = dataLoader
            self.decoders = decoders
        }
    }
}

extension ImagePipeline.Configuration {
    /// The number of decodes and processor steps at once; see ``ImagePipeline/Scheduling/computingLimit``.
    public var computingLimit: Int {
        get { scheduling.computingLimit }
        set { scheduling.computingLimit = newValue }
    }

    /// The number of concurrent reads of files and of the data cache; see ``ImagePipeline/Scheduling/readingLimit``.
    public var readingLimit: Int {
        get { scheduling.readingLimit }
        set { scheduling.readingLimit = newValue }
    }

    /// The number of concurrent transfers; see ``ImagePipeline/Scheduling/transferLimit``.
    public var transferLimit: Int {
        get { scheduling.transferLimit }
        set { scheduling.transferLimit = newValue }
    }

    /// The bytes that decodes may hold at once; see ``ImagePipeline/Scheduling/decodingMemoryLimit``.
    public var decodingMemoryLimit: Int {
        get { scheduling.decodingMemoryLimit }
        set { scheduling.decodingMemoryLimit = newValue }
    }

    /// Whether bursts of transfers that are started and cancelled at once are rate-limited; see
    /// ``ImagePipeline/Scheduling/isRateLimiterEnabled``.
    public var isRateLimiterEnabled: Bool {
        get { scheduling.isRateLimiterEnabled }
        set { scheduling.isRateLimiterEnabled = newValue }
    }
}

extension ImagePipeline.Configuration {
    /// Chooses the decoder of content; `nil` if no decoder takes it. Default: the first of ``decoders`` that recognizes
    /// it.
    ///
    /// A value that is set replaces ``decoders``. The delegate's choice has precedence.
    public var makeImageDecoder: @Sendable (ImageDecodingContext) -> (any ImageDecoding)? {
        get { decoderChoice ?? { [decoders] context in decoders.first { $0.recognizes(context.data) != nil } } }
        set { decoderChoice = newValue }
    }

    /// Chooses the encoder of an image that ``dataCachePolicy`` stores; `nil` to store none. Default: ``imageEncoder``.
    ///
    /// A value that is set replaces ``imageEncoder``. The delegate's choice has precedence.
    public var makeImageEncoder: @Sendable (ImageEncodingContext) -> (any ImageEncoding)? {
        get { encoderChoice ?? { [imageEncoder] _ in imageEncoder } }
        set { encoderChoice = newValue }
    }
}
