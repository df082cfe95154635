import FirnImage

/// The outcome of a stage.
enum StageOutcome {
    /// The job has its result; `nil` for a stage without waiting tasks.
    case done(JobProduct?)
    /// No task needs the result.
    case notNeeded
    /// Every task got its image from a cache, or was restarted with another route.
    case servedElsewhere
    /// No file or cache has usable bytes: the job continues in the stage `transfer`, which revalidates stale bytes.
    case needsTransfer(StaleBytes?)
    /// The decode has used the bytes that have arrived, and continues when there are more.
    case needsBytes
    /// An event ends the job later: the end of a transfer, or memory for a decode.
    case pending
    case failed(ImageLoadingError)
    /// The source refused the request: the job shows its stale image in the stage `decode`, and fails then.
    case refused(Refusal)
}
