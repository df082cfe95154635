struct PrefetchState {
    typealias Ticket = PrefetchQueue<PrefetchKey>.Ticket
    typealias Completion = (request: ImageRequest, error: ImageLoadingError?)

    var queue: PrefetchQueue<PrefetchKey>
    var running: [Ticket: ImageTask] = [:]
    var priority = ImageRequest.Priority.low
    /// Incremented by each change that running tasks follow.
    var changes = 0
    var allDidComplete: (@Sendable () -> Void)?
    var itemDidComplete: (@Sendable (ImageRequest, ImageLoadingError?) -> Void)?
    var streams: [Int: AsyncStream<Completion>.Continuation] = [:]
    /// True if a thread is starting items. It also starts items that become startable in the meantime.
    var isAdvancing = false
    private var streamNumber = 0

    init(limit: Int) { queue = PrefetchQueue(limit: limit) }

    mutating func add(_ stream: AsyncStream<Completion>.Continuation) -> Int {
        streamNumber += 1
        streams[streamNumber] = stream
        return streamNumber
    }

    typealias Start = (ticket: Ticket, request: ImageRequest, priority: ImageRequest.Priority)

    /// - Returns: whether no other thread is starting items.
    mutating func beginAdvancing() -> Bool {
        defer { isAdvancing = true }
        return !isAdvancing
    }

    /// Returns the next item; `nil` ends the advance of this thread.
    mutating func next() -> Start? {
        guard let (ticket, key) = queue.next() else {
            isAdvancing = false
            return nil
        }
        return (ticket, key.request, priority)
    }

    /// The closures and streams that receive an end, called once the lock is released.
    typealias Listeners = (
        item: (@Sendable (ImageRequest, ImageLoadingError?) -> Void)?, all: (@Sendable () -> Void)?,
        streams: [AsyncStream<Completion>.Continuation]
    )

    /// Ends an item; `nil` if it was stopped before.
    mutating func finish(_ ticket: Ticket) -> (request: ImageRequest, listeners: Listeners)? {
        running[ticket] = nil
        guard let key = queue.finish(ticket) else { return nil }
        return (key.request, (itemDidComplete, queue.isEmpty ? allDidComplete : nil, Array(streams.values)))
    }
}

/// The identity of a prefetched item: its image, or its resource if only bytes are fetched.
///
/// Holds the request and compares its identities, which are already computed.
struct PrefetchKey: Hashable, Sendable {
    let request: ImageRequest
    private let isForBytes: Bool
    private let hash: Int

    init(_ request: ImageRequest, for destination: ImagePrefetcher.Destination) {
        self.request = request
        isForBytes = destination == .diskCache
        hash = request.storage.identities.resource.hash
    }

    static func == (a: PrefetchKey, b: PrefetchKey) -> Bool {
        guard a.hash == b.hash else { return false }
        let (mine, other) = (a.request.storage, b.request.storage)
        if mine === other { return true }
        guard mine.identities.resource.text == other.identities.resource.text else { return false }
        return a.isForBytes
            ? mine.identities.data == other.identities.data : mine.identities.image == other.identities.image
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
