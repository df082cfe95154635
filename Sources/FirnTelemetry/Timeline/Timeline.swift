public import FirnPipeline

/// What a pipeline did over a time: requests, the stages that worked for them, and what was counted in between.
///
/// A value made of events by ``init(_:)``; times are nanoseconds of the events' clock.
public struct Timeline: Sendable {
    /// How a request or a stage ended.
    public enum End: Hashable, Sendable {
        /// It did not, as far as the events go.
        case open
        /// As it was to be; a request by the help of that cache.
        case done(ImageResponse.CacheType?)
        /// What it wanted is elsewhere, or it waits for bytes or memory: another stage follows.
        case handedOn
        /// Without result, and why.
        case failed(String)
        /// Nobody needed it any more.
        case cancelled
    }

    /// A request that had to be worked for.
    public struct Request: Sendable {
        /// Its number in the events.
        public let number: PipelineEvent.Number
        /// Its address, as it was asked.
        public internal(set) var source: String
        /// When it was asked.
        public let start: Int64
        /// When it ended; the end of the events if it did not.
        public internal(set) var finish: Int64
        /// How it ended.
        public internal(set) var end = End.open
        /// Pixels of its image.
        public internal(set) var pixels = 0

        /// How long it took.
        public var duration: Int64 { finish - start }
    }

    /// A job at one stage.
    public struct Span: Sendable {
        /// The job's number.
        public let job: PipelineEvent.Number
        /// The job whose product it works on.
        public let parent: PipelineEvent.Number?
        /// What it does.
        public let stage: PipelineEvent.Stage
        /// Beside which others it runs: the worker, or for transfers the first free place, from 0.
        public let lane: Int
        /// The address that it was made for, as it was asked.
        public internal(set) var source: String
        /// The requests that waited for it when it began.
        public let requests: [PipelineEvent.Number]
        /// How long it could have started before it did.
        public let waited: Int64
        /// When it began.
        public let start: Int64
        /// When it was over; the end of the events if it was not.
        public internal(set) var finish: Int64
        /// How it ended.
        public internal(set) var end = End.open
        /// When the source answered.
        public internal(set) var answered: Int64?
        /// When it was paused, and until when.
        public internal(set) var pauses: [(start: Int64, finish: Int64)] = []
        /// Bytes read, loaded or stored.
        public internal(set) var bytes = 0
        /// Bytes that came and were dropped.
        public internal(set) var wastedBytes = 0
        /// Pixels decoded or processed.
        public internal(set) var pixels = 0
        /// Whether the bytes are the data cache's.
        public internal(set) var isFromDisk = false

        /// How long it took.
        public var duration: Int64 { finish - start }
    }

    /// Something counted at a moment.
    public struct Sample: Sendable {
        /// What is counted.
        public enum Quantity: Hashable, Sendable {
            /// Bytes of decodes under way.
            case decodingBytes
            /// Bytes in memory caches and animations.
            case keptBytes
            /// Jobs that could start in a stage.
            case queued(PipelineEvent.Stage)
            /// Bytes that have come over all transfers.
            case loadedBytes
        }

        /// When.
        public let time: Int64
        /// What.
        public let quantity: Quantity
        /// How much.
        public let value: Int
    }

    /// The requests, by start.
    public internal(set) var requests: [Request] = []
    /// The stages, by start.
    public internal(set) var spans: [Span] = []
    /// What was counted, by time.
    public internal(set) var samples: [Sample] = []
    /// Requests answered from memory on their callers' threads.
    public internal(set) var memoryHits = 0
    /// Early states of images that were shown.
    public internal(set) var previews = 0
    /// The first event's time.
    public internal(set) var start: Int64 = 0
    /// The last event's time.
    public internal(set) var finish: Int64 = 0

    /// From the first event to the last.
    public var duration: Int64 { finish - start }
}
