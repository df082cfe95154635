import FirnData
import FirnImage

/// What the stages work with: fixed when the pipeline is made.
///
/// A class, since every stage of every job gets it, and a copy of the struct would touch the counts of all its parts, on
/// all cores at once.
final class StageEnvironment: Sendable {
    let loader: any DataLoading
    let dataCache: (any DataCaching)?
    let imageCache: (any ImageCaching)?
    let decoders: [any ImageDecoding]
    let files: any FileSystem
    let limits: DecodingLimits
    /// Whether early states of pictures are shown to those who watch.
    let showsPreviews: Bool
    /// Chooses some of the above for each request; `nil`, as mostly, where they serve all.
    let choices: (any StageChoices)?
    /// Who is told what happens; `nil`, as mostly, for nobody.
    let observers: ObserverList?
    /// Whether any request's picture is kept in memory.
    let keepsImages: Bool

    init(
        loader: any DataLoading, dataCache: (any DataCaching)?, imageCache: (any ImageCaching)?,
        decoders: [any ImageDecoding], files: any FileSystem, limits: DecodingLimits, showsPreviews: Bool,
        choices: (any StageChoices)?, observers: ObserverList? = nil
    ) {
        self.loader = loader
        self.dataCache = dataCache
        self.imageCache = imageCache
        self.decoders = decoders
        self.files = files
        self.limits = limits
        self.showsPreviews = showsPreviews
        self.choices = choices
        self.observers = observers
        keepsImages = imageCache != nil || choices != nil
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
