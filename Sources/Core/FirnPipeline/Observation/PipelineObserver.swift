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

final class ObserverList: Sendable {
    private let observers: [any PipelineObserver]

    /// Returns nil if there are no observers, so that the check for them is one comparison.
    init?(_ observers: [any PipelineObserver]) {
        guard !observers.isEmpty else { return nil }
        self.observers = observers
    }

    func emit(_ kind: consuming PipelineEvent.Kind, at time: Moment) {
        let event = PipelineEvent(time: .nanoseconds(time), kind: kind)
        // Without an iterator, which would copy each observer.
        for index in observers.indices { observers[index].pipeline(didObserve: event) }
    }
}
