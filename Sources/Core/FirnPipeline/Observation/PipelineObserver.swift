/// Receives the events of a pipeline: for logs, metrics, traces and tests.
///
/// Set it in ``ImagePipeline/Configuration/observers``. Without observers, nothing is measured and no event is created.
///
/// Order: events come on the thread where they happen, several at the same time. Those of one job, and those of one
/// task, have times in their order, but may be received in another. The pipeline holds no lock during the call.
public protocol PipelineObserver: Sendable {
    /// Receives an event. It must return quickly: the work of the pipeline waits for it.
    func pipeline(didObserve event: PipelineEvent)
}
