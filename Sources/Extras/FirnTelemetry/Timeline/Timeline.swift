import FirnPipeline

/// The activity of a pipeline over a time: requests, their stages, and counts.
///
/// A value, built from events by ``init(_:)``. Moments are durations on the clock of the events
/// (`PipelineEvent.time`): they compare with each other, not with dates.
struct Timeline: Sendable {
    /// The way in which a request or a stage ended.
    enum End: Hashable, Sendable {
        /// Still running at the last event.
        case open
        /// Succeeded; a request with a hit in that cache.
        case done(ImageResponse.CacheType?)
        /// Continues in another stage: the result is elsewhere, or it waits for bytes or memory.
        case handedOn
        /// Failed, with the reason.
        case failed(String)
        case cancelled
    }

    /// A request that was not a memory hit.
    struct Request: Sendable {
        /// Its number in the events.
        let number: PipelineEvent.Number
        /// Its address, as in the request.
        var source: String
        let start: Duration
        /// The time of its end; the last event's time if it has not ended.
        var finish: Duration
        var end = End.open
        var pixels = 0

        var duration: Duration { finish - start }
    }

    /// A job at one stage.
    struct Span: Sendable {
        let job: PipelineEvent.Number
        /// The job whose product it works on.
        let parent: PipelineEvent.Number?
        let stage: PipelineEvent.Stage
        /// The lane: the number of the worker, or for transfers the first free number, from 0.
        let lane: Int
        /// The address of its first request.
        var source: String
        /// The requests that were subscribed when it began.
        let requests: [PipelineEvent.Number]
        /// The time that it waited for a worker or slot.
        let waited: Duration
        let start: Duration
        /// The time of its end; the last event's time if it has not ended.
        var finish: Duration
        var end = End.open
        /// The time of the source's response.
        var responded: Duration?
        /// The intervals in which it was paused.
        var pauses: [Range<Duration>] = []
        /// Bytes read, loaded or stored.
        var bytes = 0
        /// Bytes that arrived and were dropped.
        var wastedBytes = 0
        var pixels = 0
        /// True if the bytes are from the data cache.
        var isFromDisk = false

        var duration: Duration { finish - start }
    }

    /// A count at a point in time.
    struct Sample: Sendable {
        enum Quantity: Hashable, Sendable {
            /// Bytes of running decodes.
            case decodingBytes
            /// Bytes in memory caches and animations.
            case keptBytes
            /// Jobs that could start in a stage.
            case queued(PipelineEvent.Stage)
            /// Bytes that arrived over all transfers.
            case loadedBytes
        }

        let time: Duration
        let quantity: Quantity
        let value: Int
    }

    /// The requests, by start.
    var requests: [Request] = []
    /// The stages, by start.
    var spans: [Span] = []
    /// The counts, by time.
    var samples: [Sample] = []
    /// Memory hits on the callers' threads.
    var memoryHits = 0
    /// Previews that were delivered.
    var previews = 0
    var start: Duration = .zero
    var finish: Duration = .zero

    /// The time from the first event to the last.
    var duration: Duration { finish - start }
}
