/// Receives events of a pipeline as they happen: for logs, metrics, traces and tests.
///
/// Set in ``ImagePipeline/Configuration/observers``. Where there is none, nothing is measured and no event is made.
///
/// Order: events come on the thread where they happen, several at the same time; those of one job, and those of one
/// task, have times in their order, but a receiver may get them in another. No lock of the pipeline's is held
/// meanwhile.
public protocol PipelineObserver: Sendable {
    /// Something has happened. Returns quickly: the work of the pipeline waits for it.
    func pipeline(didObserve event: PipelineEvent)
}
