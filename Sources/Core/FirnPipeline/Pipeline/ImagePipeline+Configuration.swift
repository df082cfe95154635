extension ImagePipeline {
    /// Selects what a pipeline stores in its data cache.
    public typealias DataCachePolicy = FirnPipeline.DataCachePolicy

    /// The parts and settings of a pipeline, in any order: they are connected when a pipeline is made of them.
    ///
    /// `ImagePipeline.Configuration()` of the module `Firn` has the parts that are named here as defaults.
    /// ``init(dataLoader:decoders:)`` has no caches, no retries and no rules of HTTP.
    public struct Configuration: Sendable {
        /// Loads data from the network, or from any source other than files.
        public var dataLoader: any DataLoading
        /// The disk cache of originals. Default: the process's own, `DataCache.shared`. `nil` for none.
        public var dataCache: (any DataCaching)?
        /// Selects what the data cache stores. Default: the bytes as loaded.
        public var dataCachePolicy = DataCachePolicy.storeOriginalData
        package var partialBodies = PartialDataCache.own(nil)
        /// The encoder of ``makeImageEncoder``, unless that is set. If both are `nil`, originals are stored.
        package var imageEncoder: (any ImageEncoding)?
        /// The disk cache of partial bodies, from which a later process resumes. Default: one in the directory of
        /// ``dataCache``, if that is a `DataCache`. `nil` for none.
        ///
        /// It needs limits of its own and must hold nothing else. Only responses with a strong validator are stored.
        /// The missing bytes are requested with `If-Range` (RFC 9110, section 13.1.5).
        public var partialDataCache: (any DataCaching)? {
            get {
                switch partialBodies {
                case .besideDataCache: (dataCache as? DataCache)?.partialBodies
                case .own(let cache): cache
                }
            }
            set { partialBodies = .own(newValue) }
        }
        /// The memory cache of decoded images. Default: the process's own, `ImageCache.shared`. `nil` for none.
        public var imageCache: (any ImageCaching)?
        /// The disk store of decoded images, which are shown without another decode. Default: `nil`, none.
        ///
        /// It is looked up after the memory cache and before the data cache, whose directory it can share. On a full
        /// disk its images are evicted before the originals of the data cache.
        public var bitmapStore: BitmapStore?
        /// The fewest pixels of an image whose pyramid is built when a second region of it is decoded: see
        /// ``ImagePipeline/buildPyramid(for:progress:)``. Default: 2^24 (17 megapixels). `Int.max` for never. Without a
        /// bitmap store there are no pyramids; of a sequential JPEG, an index is kept in memory.
        public var automaticPyramidPixels = 1 << 24
        /// The limits of decodes that build pyramids. No request waits for one, so it may take longer than other
        /// decodes. `nil` (the default) for the limits of the others.
        package var pyramidLimits: ImageLimits?
        /// The decoders of ``makeImageDecoder``, unless that is set.
        package var decoders: [any ImageDecoding]
        /// The file system that `file:` addresses are read from. Default: the system's.
        package var files: any FileSystem = LocalFileSystem()
        /// True if files within the limits are read whole before they are decoded, so that a stalled file system
        /// blocks no decode. Default: false; files are read in parts on demand.
        package var readsWholeFiles = false
        /// The limits of files, decodes and processors. Default: `ImageLimits()`.
        public var limits = ImageLimits()
        /// The number of bytes after which a transfer ends if no decoder recognizes them and all subscribed tasks want
        /// an image; 0 means never. The load fails as a load of the whole body would. Default: 64 KiB, more than any
        /// format needs to be recognized.
        public var unknownContentLimit = 64 << 10
        /// True if previews of images that are still loading are delivered to ``ImageTask/previews`` and
        /// ``ImageTask/events``. Without a subscriber no preview is decoded. Default: true.
        public var isProgressiveDecodingEnabled = true
        /// True if equal requests share one download and one decode. Default: true. If false, each request has a job of
        /// its own, for example to measure, or if the source counts requests. Caches are used in both cases.
        public var isTaskCoalescingEnabled = true
        /// True if the first frame of an animation keeps the file's bytes (``/FirnImage/ImageContainer/data``), so that
        /// the other frames can be played without another load. Default: true. The load ends with the last byte, and
        /// the bytes count in the cost of the memory cache. If false, the load ends as soon as the first frame is
        /// decoded, and only animations in local files can be played: for programs that show thumbnails alone.
        public var keepsAnimationData = true
        /// The policy for sending failed requests again. Default: ``/FirnData/DataRetryPolicy/init()``. A transfer that
        /// waits for a retry takes no slot. A body that was cut short is resumed if the server allows it.
        public var retries = DataRetryPolicy.none
        /// The times for which failed addresses are not requested again.
        package var failureTimes = FailureTimes.none
        /// The initial limits of concurrent work; see ``ImagePipeline/scheduling``.
        public var scheduling = Scheduling()
        /// The observers, which receive the pipeline's events as they happen. Default: none; nothing is measured then.
        public var observers: [any PipelineObserver] = []
        /// The memory budget that decodes share with the memory cache and animations of the same budget. Default: that
        /// of ``imageCache``, or the machine's. If it is set and ``imageCache`` is not, the pipeline has a memory cache
        /// of its own in this budget.
        public var memoryBudget: MemoryBudget?

        /// The rules for storing and revalidating HTTP responses. Default: `nil`; stored responses stay fresh forever.
        /// A standard pipeline has ``/FirnCache/HTTPCachePolicy/images``.
        public var httpCachePolicy: HTTPCachePolicy?
        /// The freshness of cached data, unless the request states its own. Default: as stated by the source.
        public var freshness = ImageRequest.Freshness.followsSource
        /// The clock of freshness: time since 1970. Default: `nil`, the system's clock.
        public var now: (@Sendable () -> Duration)?

        /// The value of ``makeImageDecoder``, if it was set.
        package var decoderChoice: (@Sendable (ImageDecodingContext) -> (any ImageDecoding)?)?
        /// The value of ``makeImageEncoder``, if it was set.
        package var encoderChoice: (@Sendable (ImageEncodingContext) -> (any ImageEncoding)?)?

        /// Connects the parts of a complete configuration, each time that a pipeline is made of it. Default: does
        /// nothing.
        package var connect: @Sendable (inout ImagePipeline.Configuration) -> Void = { _ in }

        /// Creates a configuration without caches, of these parts alone.
        public init(dataLoader: any DataLoading, decoders: [any ImageDecoding]) {
            self.dataLoader = dataLoader
            self.decoders = decoders
        }
    }
}

extension ImagePipeline.Configuration {
    /// The disk cache of partial bodies.
    package enum PartialDataCache: Sendable {
        /// The one in the directory of the data cache, if there is one.
        case besideDataCache
        /// A cache of its own; `nil` for none.
        case own((any DataCaching)?)
    }

    /// Returns the configuration with its parts connected.
    var connected: ImagePipeline.Configuration {
        var configuration = self
        connect(&configuration)
        return configuration
    }

    /// True if failed addresses are not requested again for a time, so that a missing image is not requested at every
    /// scroll: 10 minutes after status 410, 60 seconds after 404 and an endless redirect, 20 seconds after other
    /// statuses of 400 to 499, and 5 seconds, or the server's `Retry-After` up to 60, after 408, 429 and 500 to 599.
    ///
    /// Never after failures that do not concern the address, such as a lost connection. Default: true, for up to 1000
    /// addresses. A request that reloads ignores them; see also ``ImagePipeline/forgetFailures()``.
    public var remembersFailures: Bool {
        get { failureTimes.count > 0 }
        set { failureTimes = newValue ? FailureTimes() : .none }
    }

    /// Chooses the decoder of content; `nil` if no decoder takes it. Default: the first decoder of the configuration
    /// that recognizes it.
    ///
    /// A closure that adds a decoder calls the earlier closure for everything else. The delegate's choice has
    /// precedence.
    public var makeImageDecoder: @Sendable (ImageDecodingContext) -> (any ImageDecoding)? {
        get { decoderChoice ?? { [decoders] context in decoders.first { $0.recognizes(context.data) != nil } } }
        set { decoderChoice = newValue }
    }

    /// Chooses the encoder of an image that ``dataCachePolicy`` stores; `nil` to store none. Default: a fast encoder
    /// without visible loss; in a configuration of ``init(dataLoader:decoders:)`` none, so that originals are stored.
    ///
    /// The delegate's choice has precedence.
    public var makeImageEncoder: @Sendable (ImageEncodingContext) -> (any ImageEncoding)? {
        get { encoderChoice ?? { [imageEncoder] _ in imageEncoder } }
        set { encoderChoice = newValue }
    }
}
