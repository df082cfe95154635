import FirnSync
public import FoundationEssentials

/// Records the events of a pipeline, and writes them as a trace.
///
/// Bounded: a full recorder drops events and counts them, so a program can leave it on.
public final class TimelineRecorder: PipelineObserver {
    private struct State {
        var events: [PipelineEvent] = []
        var omitted = 0
    }

    private let state = Locked(State())
    /// The maximum number of events.
    public let capacity: Int

    /// Creates a recorder of at most this many events. Default: 400,000, which is about 40,000 requests and 100 MB.
    public init(capacity: Int = 400_000) { self.capacity = max(0, capacity) }

    /// Records an event.
    public func pipeline(didObserve event: PipelineEvent) {
        state.withLock { state in
            guard state.events.count < capacity else {
                state.omitted += 1
                return
            }
            state.events.append(event)
        }
    }

    /// The number of events that were dropped because the recorder was full.
    public var omittedCount: Int { state.withLock { $0.omitted } }

    /// The events so far.
    public var events: [PipelineEvent] { state.withLock { $0.events } }

    /// Returns the events as a trace file for Perfetto and `chrome://tracing`: a lane for each stage and worker, arrows
    /// that connect the stages of each request, counters for memory, queues and bandwidth.
    ///
    /// - Parameter showsQueries: whether addresses are written unchanged. Default: no; user names, passwords and
    ///   secrets in queries are removed.
    /// - Throws: the error of the JSON encoder.
    public func trace(showsQueries: Bool = false) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(TraceFile(events, showsQueries: showsQueries))
    }

    /// Removes all events.
    public func removeAll() {
        // Order: the events are released without the lock.
        _ = state.withLock { state in
            defer { state = State() }
            return state.events
        }
    }
}
