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
        /// Decodes and processor steps at once. Default: the machine's cores, at most 4.
        public var computingLimit: Int
        /// Reads of files and of the data cache at once. Default: 2.
        public var readingLimit = 2
        /// Transfers at once. Default: 6, as browsers have them for one host.
        public var transferLimit = 6
        /// Bytes that decodes may hold at once, by estimate; one decode alone may exceed it. Default: 72 MiB: two progressive
        /// photographs of 12 megapixels, or dozens of others, fit; more at once would raise the peak and not the speed.
        public var decodingMemoryLimit = 72 << 20
        /// What decodes share their memory with: the memory cache and animations, if they have the same budget. `nil`, the
        /// default, for nothing but ``decodingMemoryLimit``.
        public var memoryBudget: MemoryBudget?

        /// A pipeline without caches.
        public init(dataLoader: any DataLoading, decoders: [any ImageDecoding]) {
            self.dataLoader = dataLoader
            self.decoders = decoders
            computingLimit = min(4, Machine.cores)
        }

        var stageLimits: StageLimits {
            StageLimits(
                computing: max(1, computingLimit), reading: max(1, readingLimit), transferring: max(1, transferLimit),
                storing: 1, backlog: max(1, computingLimit) * 4, storeBacklog: 64,
                decodingBytes: max(0, decodingMemoryLimit))
        }
    }
}
