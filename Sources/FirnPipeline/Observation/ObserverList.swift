/// The observers of a pipeline.
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
