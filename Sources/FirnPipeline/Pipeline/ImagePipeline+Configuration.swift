public import FirnData
public import FirnImage

extension ImagePipeline {
    /// What a pipeline is made of. The module `Firn` has ready ones.
    public struct Configuration: Sendable {
        /// Fetches what is not a file and not at hand.
        public var dataLoader: any DataLoading
        /// Keeps originals on disk; `nil` for none. Default: none.
        public var dataCache: (any DataCaching)?
        /// Keeps decoded pictures in memory; `nil` for none. Default: none.
        public var imageCache: (any ImageCaching)?
        /// Asked in order, by content.
        public var decoders: [any ImageDecoding]
        /// Reads `file:` addresses. Default: the system's files.
        public var files: any FileSystem = LocalFileSystem()
        /// What files are held to. Default: those of `DecodingLimits()`.
        public var limits = DecodingLimits()
        /// Whether early states of pictures that still arrive are shown to those who watch ``ImageTask/previews`` or
        /// ``ImageTask/events``. Where nobody does, none is made. Default: yes.
        public var isProgressiveDecodingEnabled = true
        /// What may run at the same time, to begin with; see ``ImagePipeline/scheduling``.
        public var scheduling = Scheduling()
        /// Who is told what the pipeline does, as it happens. Default: nobody, and then nothing is measured.
        public var observers: [any PipelineObserver] = []
        /// What decodes share their memory with: the memory cache and animations, if they have the same budget. `nil`, the
        /// default, for nothing but ``decodingMemoryLimit``.
        public var memoryBudget: MemoryBudget?

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
