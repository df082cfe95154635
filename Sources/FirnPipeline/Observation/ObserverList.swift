/// The observers of a pipeline.
final class ObserverList: Sendable {
    private let observers: [any PipelineObserver]

    /// Returns nil without observers, so that one check of a reference tells.
    init?(_ observers: [any PipelineObserver]) {
        guard !observers.isEmpty else { return nil }
        self.observers = observers
    }

    func emit(_ kind: PipelineEvent.Kind, at time: Moment) {
        let event = PipelineEvent(time: .nanoseconds(time), kind: kind)
        for observer in observers { observer.pipeline(didObserve: event) }
    }
}
