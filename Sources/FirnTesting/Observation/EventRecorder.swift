public import FirnPipeline

/// Keeps everything that a pipeline tells its observers, for tests to look at.
///
/// ```swift
/// let recorder = EventRecorder()
/// configuration.observers = [recorder]
/// let events = await recorder.wait { $0.count > 3 }
/// ```
public final class EventRecorder: PipelineObserver {
    private let recorded = Watched<[PipelineEvent]>([])

    /// A recorder of nothing yet.
    public init() {}

    /// What was told so far, by time.
    public var events: [PipelineEvent] { EventRecorder.sorted(recorded.value) }

    /// Waits until what was told satisfies a condition, and returns it by time. The condition must not use the recorder.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable ([PipelineEvent]) -> Bool) async -> [PipelineEvent] {
        EventRecorder.sorted(await recorded.wait(until: isReached))
    }

    /// Takes note of an event.
    public func pipeline(didObserve event: PipelineEvent) { recorded.update { $0.append(event) } }

    /// Order: a sort that keeps the order of equal times, since a clock may not tell two events apart.
    private static func sorted(_ events: [PipelineEvent]) -> [PipelineEvent] {
        events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
}
