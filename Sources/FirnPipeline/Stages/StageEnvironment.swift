import FirnData
import FirnImage
import Synchronization

/// What the stages work with: fixed when the pipeline is made.
///
/// A class, since every stage of every job gets it, and a copy of the struct would touch the counts of all its parts,
/// on all cores at once.
final class StageEnvironment: Sendable {
    let loader: any DataLoading
    let dataCache: (any DataCaching)?
    /// What is kept there; the default where there is no encoder.
    let dataCachePolicy: DataCachePolicy
    let encoder: (any ImageEncoding)?
    /// Chooses the decoder of content; `nil` for the first of `decoders` that recognizes it.
    let decoderChoice: (@Sendable (ImageDecodingContext) -> (any ImageDecoding)?)?
    /// Chooses the encoder of an image; `nil` for `encoder`.
    let encoderChoice: (@Sendable (ImageEncodingContext) -> (any ImageEncoding)?)?
    /// Keeps the first bytes of bodies while they arrive.
    let partialDataCache: (any DataCaching)?
    let imageCache: (any ImageCaching)?
    let bitmapStore: (any BitmapStoring)?
    let decoders: [any ImageDecoding]
    let files: any FileSystem
    let limits: ImageLimits
    /// Whether early states of images are shown to those who watch.
    let showsPreviews: Bool
    /// Chooses some of the above for each request; `nil`, as mostly, where they serve all.
    let choices: (any StageChoices)?
    /// Says when a failed request is sent again.
    let retries: RetryPolicy
    /// What failed lately; `nil` where nothing is remembered.
    let failures: FailureCache?
    /// Random numbers from 0 up to 1.
    let random: @Sendable () -> Double
    /// Lookups that a data cache failed to answer.
    let failedLookups = Atomic<Int>(0)
    /// Who is told what happens; `nil`, as mostly, for nobody.
    let observers: ObserverList?
    /// How long what is kept serves; `nil` forever.
    let freshness: FreshnessRules?
    /// Bytes after which a transfer of content that no decoder recognizes ends; 0 for never.
    let unknownContentLimit: Int
    /// Whether any request's image is kept in memory.
    let keepsImages: Bool
    /// Whether images of animations keep the bytes of their files.
    let keepsAnimationData: Bool
    /// Whether equal work is shared by the requests that want it.
    let isTaskCoalescingEnabled: Bool
    /// Requests that share nothing, so far.
    private let separated = Atomic<Int>(0)

    init(
        loader: any DataLoading, dataCache: (any DataCaching)?, partialDataCache: (any DataCaching)? = nil,
        dataCachePolicy: DataCachePolicy = .storeOriginalData, encoder: (any ImageEncoding)? = nil,
        imageCache: (any ImageCaching)?, decoders: [any ImageDecoding], files: any FileSystem, limits: ImageLimits,
        showsPreviews: Bool, choices: (any StageChoices)?, retries: RetryPolicy = .none, failures: FailureCache? = nil,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }, observers: ObserverList? = nil,
        bitmapStore: (any BitmapStoring)? = nil, freshness: FreshnessRules? = nil,
        keepsAnimationData: Bool = true, isTaskCoalescingEnabled: Bool = true,
        unknownContentLimit: Int = 0,
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
        keepsImages = imageCache != nil || choices != nil
    }

    /// What a request's work is shared by: its own name, or one that no other request has if nothing is to be shared.
    @inline(__always)
    func workKey(_ key: ResourceKey) -> ResourceKey {
        if isTaskCoalescingEnabled { return key }
        return ResourceKey("\(key.text)#\(separated.add(1, ordering: .relaxed).newValue)")
    }
}

/// How a stage came out, for the runner.
enum StageOutcome {
    /// The work holds its product.
    case finished
    /// The work goes on in another stage.
    case moves(JobStage)
    /// The work holds its error.
    case failed
    /// The work has used up the bytes that have arrived, and goes on when there are more.
    case starved
    /// It will be finished later, by an event.
    case pending
}
