/// All who observe a pipeline, as one.
final class ObserverList: Sendable {
    private let observers: [any PipelineObserver]

    /// `nil` for nobody, so that one look at a reference tells.
    init?(_ observers: [any PipelineObserver]) {
        guard !observers.isEmpty else { return nil }
        self.observers = observers
    }

    func tell(_ kind: PipelineEvent.Kind, at time: Moment) {
        let event = PipelineEvent(time: .nanoseconds(time), kind: kind)
        for observer in observers { observer.pipeline(didObserve: event) }
    }
}
