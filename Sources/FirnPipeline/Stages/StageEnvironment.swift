import FirnData
import FirnImage

/// What the stages work with: fixed when the pipeline is made.
struct StageEnvironment: Sendable {
    let loader: any DataLoading
    let dataCache: (any DataCaching)?
    let imageCache: (any ImageCaching)?
    let decoders: [any ImageDecoding]
    let files: any FileSystem
    let limits: DecodingLimits
}

/// How a stage came out, for the runner.
enum StageOutcome {
    /// The work holds its product.
    case finished
    /// The work goes on in another stage.
    case moves(JobStage)
    /// The work holds its error.
    case failed
    /// It will be finished later, by an event.
    case pending
}
