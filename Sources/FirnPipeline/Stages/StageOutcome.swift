import FirnImage

/// How a stage came out.
enum StageOutcome {
    /// The job has its result; `nil` in a stage that no task waits for.
    case done(JobProduct?)
    /// No task wants the result any more.
    case notNeeded
    /// Every task got its image from a cache, or takes another way to it.
    case servedElsewhere
    /// No disk has usable bytes: the job goes on in the stage `transfer`, which revalidates stale bytes.
    case needsTransfer(StaleBytes?)
    /// The decode has used the bytes that have arrived, and goes on when there are more.
    case needsBytes
    /// An event ends the job later: a transfer that runs, or a decode that waits for memory.
    case pending
    case failed(ImageLoadingError)
}
