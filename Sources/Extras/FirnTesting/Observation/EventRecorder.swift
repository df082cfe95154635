public import FirnPipeline

/// Records all events that a pipeline sends to its observers.
///
/// ```swift
/// let recorder = EventRecorder()
/// configuration.observers = [recorder]
/// let events = await recorder.wait { $0.count > 3 }
/// ```
public final class EventRecorder: PipelineObserver {
    private let recorded = Watched<[PipelineEvent]>([])

    /// Creates an empty recorder.
    public init() {}

    /// The events so far, by time.
    public var events: [PipelineEvent] { recorded.value.sorted { $0.time < $1.time } }

    /// Waits until the events satisfy a condition, and returns them by time. The condition must not use the recorder.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable ([PipelineEvent]) -> Bool) async -> [PipelineEvent] {
        await recorded.wait(until: isReached).sorted { $0.time < $1.time }
    }

    /// Records an event.
    public func pipeline(didObserve event: PipelineEvent) { recorded.update { $0.append(event) } }
}
