public import FirnPipeline
import FirnSync

/// Keeps what a pipeline tells its observers, for a trace or a report afterwards.
///
/// Bounded: once full it takes no more and counts what it left out, so that a program may leave it on.
public final class TimelineRecorder: PipelineObserver {
    private struct State {
        var events: [PipelineEvent] = []
        var omitted = 0
    }

    private let state = Locked(State())
    /// Most events that are kept.
    public let capacity: Int

    /// A recorder of at most so many events. 400 000, the default, are about 40 000 requests and 100 MB.
    public init(capacity: Int = 400_000) { self.capacity = max(0, capacity) }

    /// Takes note of an event.
    public func pipeline(didObserve event: PipelineEvent) {
        state.withLock { state in
            guard state.events.count < capacity else {
                state.omitted += 1
                return
            }
            state.events.append(event)
        }
    }

    /// Events that came when there was no room any more.
    public var omittedCount: Int { state.withLock { $0.omitted } }

    /// What has happened so far.
    public var timeline: Timeline { Timeline(state.withLock { $0.events }) }

    /// Forgets everything so far.
    public func removeAll() {
        let old = state.withLock { state in
            let old = state.events
            state = State()
            return old
        }
        _ = consume old
    }
}
