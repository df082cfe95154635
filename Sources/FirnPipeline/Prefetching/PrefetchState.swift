import FirnData

/// The state of a prefetcher, under its lock.
struct PrefetchState {
    typealias Ticket = PrefetchQueue<PrefetchKey>.Ticket
    typealias Completion = (request: ImageRequest, error: ImageLoadingError?)

    var queue: PrefetchQueue<PrefetchKey>
    /// The tasks of running items.
    var running: [Ticket: ImageTask] = [:]
    var priority = ImageRequest.Priority.low
    /// Incremented by each change that running tasks follow.
    var changes = 0
    var didComplete: (@Sendable () -> Void)?
    var itemDidComplete: (@Sendable (ImageRequest, ImageLoadingError?) -> Void)?
    var streams: [Int: AsyncStream<Completion>.Continuation] = [:]
    /// Whether a thread is starting items. It also starts items that become startable in the meantime.
    var isAdvancing = false
    private var streamNumber = 0

    init(limit: Int) { queue = PrefetchQueue(limit: limit) }

    mutating func add(_ stream: AsyncStream<Completion>.Continuation) -> Int {
        streamNumber += 1
        streams[streamNumber] = stream
        return streamNumber
    }

    /// An item to be started.
    struct Start {
        let ticket: Ticket
        let request: ImageRequest
        let priority: ImageRequest.Priority
    }

    mutating func next() -> Start? {
        queue.next().map { Start(ticket: $0.ticket, request: $0.key.request, priority: priority) }
    }

    /// The closures and streams that receive an end, called once the lock is released.
    struct Told {
        let completion: Completion
        let item: (@Sendable (ImageRequest, ImageLoadingError?) -> Void)?
        let all: (@Sendable () -> Void)?
        let streams: [AsyncStream<Completion>.Continuation]
    }

    /// Ends an item; `nil` if it was stopped before.
    mutating func finish(_ ticket: Ticket, _ error: ImageLoadingError?) -> Told? {
        running[ticket] = nil
        guard let key = queue.finish(ticket) else { return nil }
        return Told(
            completion: (key.request, error), item: itemDidComplete,
            all: queue.isEmpty ? didComplete : nil, streams: Array(streams.values))
    }
}
