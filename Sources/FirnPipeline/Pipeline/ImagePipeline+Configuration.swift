public import FirnData
public import FirnImage

extension ImagePipeline {
    /// What goes into the data cache.
    public typealias DataCachePolicy = FirnPipeline.DataCachePolicy

    /// The parts and settings of a pipeline. The module `Firn` has ready ones.
    public struct Configuration: Sendable {
        /// Loads data from the network, or from anywhere else that is no file.
        public var dataLoader: any DataLoading
        /// Keeps originals on disk; `nil` for none. Default: none.
        public var dataCache: (any DataCaching)?
        /// What goes into the data cache. Default: the bytes as they were loaded.
        public var dataCachePolicy = DataCachePolicy.storeOriginalData
        /// Encodes images for the data cache, where ``dataCachePolicy`` asks for that; `nil` for none, and then originals are kept.
        public var imageEncoder: (any ImageEncoding)?
        /// Keeps the first bytes of bodies while they arrive, so that a process that comes later can go on from them; `nil`, the
        /// default, for nowhere. A cache with limits of its own; nothing else may be in it. Only answers with a strong validator
        /// are kept, and what is missing is asked for by `If-Range`.
        public var partialDataCache: (any DataCaching)?
        /// Keeps decoded images in memory; `nil` for none. Default: none.
        public var imageCache: (any ImageCaching)?
        /// Keeps decoded images on disk, from where they are shown without being decoded again; asked after the memory cache
        /// and before the bytes. `nil`, the default, for none.
        package var bitmapStore: (any BitmapStoring)?
        /// The decoders, asked in order by content.
        public var decoders: [any ImageDecoding]
        /// Reads `file:` addresses. Default: the system's files.
        package var files: any FileSystem = LocalFileSystem()
        /// What files are held to. Default: those of `ImageLimits()`.
        public var limits = ImageLimits()
        /// Bytes of a body after which its transfer ends if no decoder recognizes them and everybody who waits wants an image;
        /// 0 for never. The load then fails as a load of the whole body would. Default: 64 KiB, more than any format needs to
        /// be recognized and less than a page of text wastes.
        public var unknownContentLimit = 64 << 10
        /// Whether early states of images that still arrive are shown to those who watch ``ImageTask/previews`` or
        /// ``ImageTask/events``. Where nobody does, none is made. Default: yes.
        public var isProgressiveDecodingEnabled = true
        /// Whether equal requests share their work: one download, one decode. Default: yes. If not, each request is a
        /// job of its own, as for measurements or for a source that counts requests; caches serve all the same.
        public var isTaskCoalescingEnabled = true
        /// Whether the first frame of an animation keeps the file's bytes (``/FirnImage/ImageContainer/data``), so that
        /// the other frames can be played without loading them again. Default: yes. The load then ends with the last
        /// byte, and the bytes count in the memory cache. Without it the load ends as soon as the first frame is
        /// decoded, and only animations in local files can be played: for programs that show thumbnails alone.
        public var keepsAnimationData = true
        /// Says when a failed request is sent again. Default: never; a standard pipeline does it with ``/FirnData/RetryPolicy/init()``.
        /// While a transfer waits for that it takes no slot. A body that was cut short goes on from its byte where it can.
        public var retries = RetryPolicy.none
        /// How long failed addresses are remembered and not requested again. Default: not at all; a standard pipeline does
        /// it with ``/FirnData/FailureTimes/init()``. Who reloads asks anew; see also ``ImagePipeline/forgetFailures()``.
        public var failureTimes = FailureTimes.none
        /// The initial limits of concurrent work; see ``ImagePipeline/scheduling``.
        public var scheduling = Scheduling()
        /// The observers, told what the pipeline does as it happens. Default: none, and then nothing is measured.
        public var observers: [any PipelineObserver] = []
        /// What decodes share their memory with: the memory cache and animations, if they have the same budget. `nil`, the
        /// default, for nothing but ``decodingMemoryLimit``.
        public var memoryBudget: MemoryBudget?

        /// Says of what comes over HTTP how long it may be kept, and how it is asked after. `nil`, the default: what is kept serves
        /// forever. The module `Firn` sets `HTTPCachePolicy.images`.
        package var responseCachePolicy: (any ResponseCachePolicy)?
        /// How long what is kept serves, where the request does not say it itself. Default: as its source says.
        public var freshness = Freshness.followsSource
        /// Time since 1970, by which freshness is judged. `nil`, the default: the system's clock.
        public var now: (@Sendable () -> Duration)?

        /// What ``makeImageDecoder`` was set to.
        package var decoderChoice: (@Sendable (ImageDecodingContext) -> (any ImageDecoding)?)?
        /// What ``makeImageEncoder`` was set to.
        package var encoderChoice: (@Sendable (ImageEncodingContext) -> (any ImageEncoding)?)?

        /// A pipeline without caches.
        public init(dataLoader: any DataLoading, decoders: [any ImageDecoding]) {
            self.dataLoader = dataLoader
            self.decoders = decoders
        }
    }
}

extension ImagePipeline.Configuration {
    /// Decodes and processor steps at once; see ``ImagePipeline/Scheduling/computingLimit``.
    public var computingLimit: Int {
        get { scheduling.computingLimit }
        set { scheduling.computingLimit = newValue }
    }

    /// Reads of files and of the data cache at once; see ``ImagePipeline/Scheduling/readingLimit``.
    public var readingLimit: Int {
        get { scheduling.readingLimit }
        set { scheduling.readingLimit = newValue }
    }

    /// Transfers at once; see ``ImagePipeline/Scheduling/transferLimit``.
    public var transferLimit: Int {
        get { scheduling.transferLimit }
        set { scheduling.transferLimit = newValue }
    }

    /// Bytes that decodes may hold at once; see ``ImagePipeline/Scheduling/decodingMemoryLimit``.
    public var decodingMemoryLimit: Int {
        get { scheduling.decodingMemoryLimit }
        set { scheduling.decodingMemoryLimit = newValue }
    }

    /// Whether transfers that are started and cancelled again at once are slowed down; see
    /// ``ImagePipeline/Scheduling/isRateLimiterEnabled``.
    public var isRateLimiterEnabled: Bool {
        get { scheduling.isRateLimiterEnabled }
        set { scheduling.isRateLimiterEnabled = newValue }
    }
}

extension ImagePipeline.Configuration {
    /// Chooses the decoder of content; `nil` if no decoder takes it. Default: the first of ``decoders`` that recognizes it.
    ///
    /// Setting it takes the place of ``decoders``. A delegate is asked before it.
    public var makeImageDecoder: @Sendable (ImageDecodingContext) -> (any ImageDecoding)? {
        get { decoderChoice ?? { [decoders] context in decoders.first { $0.recognizes(context.data) != nil } } }
        set { decoderChoice = newValue }
    }

    /// Chooses the encoder of an image that ``dataCachePolicy`` has stored; `nil` to store none. Default: ``imageEncoder``.
    ///
    /// Setting it takes the place of ``imageEncoder``. A delegate is asked before it.
    public var makeImageEncoder: @Sendable (ImageEncodingContext) -> (any ImageEncoding)? {
        get { encoderChoice ?? { [imageEncoder] _ in imageEncoder } }
        set { encoderChoice = newValue }
    }
}
