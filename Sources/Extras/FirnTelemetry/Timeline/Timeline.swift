public import FirnPipeline

/// The activity of a pipeline over a time: requests, their stages, and counts.
///
/// A value, built from events by ``init(_:)``. Moments are durations on the clock of the events
/// (`PipelineEvent.time`): they compare with each other, not with dates.
public struct Timeline: Sendable {
    /// The way in which a request or a stage ended.
    public enum End: Hashable, Sendable {
        /// Still running at the last event.
        case open
        /// Succeeded; a request with a hit in that cache.
        case done(ImageResponse.CacheType?)
        /// Continues in another stage: the result is elsewhere, or it waits for bytes or memory.
        case handedOn
        /// Failed, with the reason.
        case failed(String)
        /// Cancelled.
        case cancelled
    }

    /// A request that was not a memory hit.
    public struct Request: Sendable {
        /// Its number in the events.
        public let number: PipelineEvent.Number
        /// Its address, as in the request.
        public internal(set) var source: String
        /// The time of its creation.
        public let start: Duration
        /// The time of its end; the last event's time if it has not ended.
        public internal(set) var finish: Duration
        /// The kind of its end.
        public internal(set) var end = End.open
        /// Pixels of its image.
        public internal(set) var pixels = 0

        /// Its duration.
        public var duration: Duration { finish - start }
    }

    /// A job at one stage.
    public struct Span: Sendable {
        /// The job's number.
        public let job: PipelineEvent.Number
        /// The job whose product it works on.
        public let parent: PipelineEvent.Number?
        /// The stage.
        public let stage: PipelineEvent.Stage
        /// The lane: the number of the worker, or for transfers the first free number, from 0.
        public let lane: Int
        /// The address of its first request.
        public internal(set) var source: String
        /// The requests that were subscribed when it began.
        public let requests: [PipelineEvent.Number]
        /// The time that it waited for a worker or slot.
        public let waited: Duration
        /// The time of its start.
        public let start: Duration
        /// The time of its end; the last event's time if it has not ended.
        public internal(set) var finish: Duration
        /// The kind of its end.
        public internal(set) var end = End.open
        /// The time of the source's response.
        public internal(set) var responded: Duration?
        /// The intervals in which it was paused.
        public internal(set) var pauses: [Range<Duration>] = []
        /// Bytes read, loaded or stored.
        public internal(set) var bytes = 0
        /// Bytes that arrived and were dropped.
        public internal(set) var wastedBytes = 0
        /// Pixels decoded or processed.
        public internal(set) var pixels = 0
        /// True if the bytes are from the data cache.
        public internal(set) var isFromDisk = false

        /// Its duration.
        public var duration: Duration { finish - start }
    }

    /// A count at a point in time.
    public struct Sample: Sendable {
        /// The kind of count.
        public enum Quantity: Hashable, Sendable {
            /// Bytes of running decodes.
            case decodingBytes
            /// Bytes in memory caches and animations.
            case keptBytes
            /// Jobs that could start in a stage.
            case queued(PipelineEvent.Stage)
            /// Bytes that arrived over all transfers.
            case loadedBytes
        }

        /// The time of the count.
        public let time: Duration
        /// The kind of count.
        public let quantity: Quantity
        /// The count.
        public let value: Int
    }

    /// The requests, by start.
    public internal(set) var requests: [Request] = []
    /// The stages, by start.
    public internal(set) var spans: [Span] = []
    /// The counts, by time.
    public internal(set) var samples: [Sample] = []
    /// Memory hits on the callers' threads.
    public internal(set) var memoryHits = 0
    /// Previews that were delivered.
    public internal(set) var previews = 0
    /// The first event's time.
    public internal(set) var start: Duration = .zero
    /// The last event's time.
    public internal(set) var finish: Duration = .zero

    /// The time from the first event to the last.
    public var duration: Duration { finish - start }
}
