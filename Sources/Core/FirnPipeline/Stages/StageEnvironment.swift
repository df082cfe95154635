import FirnData
import FirnImage
import FirnSync
import Synchronization

/// The parts that the stages use. They are fixed when the pipeline is created.
///
/// A class, since it is passed to every stage of every job. A copy of a struct would retain all parts, on all cores at
/// once.
final class StageEnvironment: Sendable {
    let loader: any DataLoading
    let dataCache: (any DataCaching)?
    /// Decides what the data cache stores. The default if there is no encoder.
    let dataCachePolicy: DataCachePolicy
    let encoder: (any ImageEncoding)?
    /// Chooses the decoder of content; `nil` for the first of `decoders` that recognizes it.
    let decoderChoice: (@Sendable (ImageDecodingContext) -> (any ImageDecoding)?)?
    /// Chooses the encoder of an image; `nil` for `encoder`.
    let encoderChoice: (@Sendable (ImageEncodingContext) -> (any ImageEncoding)?)?
    /// Stores the first bytes of bodies while they arrive.
    let partialDataCache: (any DataCaching)?
    let imageCache: (any ImageCaching)?
    let bitmapStore: (any BitmapStoring)?
    let decoders: [any ImageDecoding]
    let files: any FileSystem
    let limits: ImageLimits
    /// The limits of decodes that build pyramids.
    let pyramidLimits: ImageLimits
    /// True if tasks receive previews.
    let showsPreviews: Bool
    /// Chooses some of these parts for each request; `nil` if all requests use the same parts.
    let choices: (any StageChoices)?
    /// Decides when a failed request is sent again.
    let retries: DataRetryPolicy
    /// Recent failures; `nil` if they are not remembered.
    let failures: FailureCache?
    /// Random numbers from 0 up to 1.
    let random: @Sendable () -> Double
    /// The number of lookups that failed with an error of a data cache.
    let failedLookups = Atomic<Int>(0)
    /// Messages of refused cache folders that were reported: every call fails with them.
    let refusals = Locked<Set<String>>([])
    /// `nil` (the default) if there are no observers.
    let observers: ObserverList?
    /// True if the observers know that images are not isolated.
    let hasReportedIsolation = Atomic<Bool>(false)
    /// Decides how long stored bytes are fresh; `nil` for forever.
    let freshness: FreshnessRules?
    /// The number of bytes after which a transfer of unrecognized content ends; 0 for never.
    let unknownContentLimit: Int
    /// True if there can be a memory cache.
    let keepsImages: Bool
    /// True if there is a bitmap store, and whether all requests have a data cache. Read without a copy of the parts.
    let keepsBitmaps: Bool
    let keepsData: Bool
    /// The pyramids of large images that are being built.
    let pyramids: PyramidBuilds
    /// True if images of animations keep the bytes of their files.
    let keepsAnimationData: Bool
    /// True if requests for the same resource share work.
    let isTaskCoalescingEnabled: Bool
    /// Contents that were loaded and are not stored yet.
    let pending = PendingContents()
    /// Entries that a reload has replaced and the disk still has.
    let outdated = OutdatedSources()
    /// The digests of large files whose tiles are on disk.
    let digests = FileDigests()
    /// The number of requests that share no work.
    private let separated = Atomic<Int>(0)

    init(
        loader: any DataLoading, dataCache: (any DataCaching)?, partialDataCache: (any DataCaching)? = nil,
        dataCachePolicy: DataCachePolicy = .storeOriginalData, encoder: (any ImageEncoding)? = nil,
        imageCache: (any ImageCaching)?, decoders: [any ImageDecoding], files: any FileSystem, limits: ImageLimits,
        showsPreviews: Bool, choices: (any StageChoices)?, retries: DataRetryPolicy = .none,
        failures: FailureCache? = nil,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }, observers: ObserverList? = nil,
        bitmapStore: (any BitmapStoring)? = nil, freshness: FreshnessRules? = nil,
        keepsAnimationData: Bool = true, isTaskCoalescingEnabled: Bool = true,
        unknownContentLimit: Int = 0, automaticPyramidPixels: Int = .max, pyramidLimits: ImageLimits? = nil,
        decoderChoice: (@Sendable (ImageDecodingContext) -> (any ImageDecoding)?)? = nil,
        encoderChoice: (@Sendable (ImageEncodingContext) -> (any ImageEncoding)?)? = nil
    ) {
        self.decoderChoice = decoderChoice
        self.encoderChoice = encoderChoice
        self.loader = loader
        self.dataCache = dataCache
        self.partialDataCache = partialDataCache
        self.encoder = encoder
        let encodes = encoder != nil || encoderChoice != nil || choices != nil
        self.dataCachePolicy = encodes ? dataCachePolicy : .storeOriginalData
        self.imageCache = imageCache
        self.bitmapStore = bitmapStore
        self.decoders = decoders
        self.files = files
        self.limits = limits
        self.pyramidLimits = pyramidLimits ?? limits
        self.showsPreviews = showsPreviews
        self.choices = choices
        self.retries = retries
        self.failures = failures
        self.random = random
        self.observers = observers
        self.freshness = freshness
        self.keepsAnimationData = keepsAnimationData
        self.isTaskCoalescingEnabled = isTaskCoalescingEnabled
        self.unknownContentLimit = max(0, unknownContentLimit)
        pyramids = PyramidBuilds(PyramidPolicy(minimumPixels: automaticPyramidPixels))
        keepsImages = imageCache != nil || choices != nil
        keepsBitmaps = bitmapStore != nil
        keepsData = dataCache != nil
    }

    /// The key by which requests share work. It is unique if coalescing is off.
    @inline(__always)
    func workKey(_ key: ResourceKey) -> ResourceKey {
        if isTaskCoalescingEnabled { return key }
        return ResourceKey("\(key.text)#\(separated.add(1, ordering: .relaxed).newValue)")
    }
}
