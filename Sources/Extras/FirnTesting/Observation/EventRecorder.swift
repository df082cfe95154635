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
    public var events: [PipelineEvent] { EventRecorder.sorted(recorded.value) }

    /// Waits until the events satisfy a condition, and returns them by time. The condition must not use the recorder.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable ([PipelineEvent]) -> Bool) async -> [PipelineEvent] {
        EventRecorder.sorted(await recorded.wait(until: isReached))
    }

    /// Records an event.
    public func pipeline(didObserve event: PipelineEvent) { recorded.update { $0.append(event) } }

    /// Order: a stable sort, since two events may have the same time.
    private static func sorted(_ events: [PipelineEvent]) -> [PipelineEvent] {
        events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
}
