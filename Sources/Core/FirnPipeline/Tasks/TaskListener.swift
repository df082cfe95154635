enum TaskListener: Sendable {
    /// Reads the end from the task once it is resumed.
    case waiter(UnsafeContinuation<Void, Never>)
    case feed(EventFeed)

    /// The demand of a listener for previews. That of several is their highest: a preview waits for the slowest.
    enum PreviewDemand: Comparable {
        case none
        /// The listener has received the last preview and wants the next one.
        case unmet
        /// The listener has not received the last preview yet.
        case met
    }

    private var feed: EventFeed? { if case .feed(let feed) = self { feed } else { nil } }

    var previewDemand: PreviewDemand { feed?.previewDemand ?? PreviewDemand.none }

    /// True if more than the end is requested.
    var isWatching: Bool { feed?.isWatching ?? false }

    /// True if the reader of the events is gone.
    var hasLeft: Bool { feed?.hasLeft ?? false }

    /// Stores an event for a listener that is being added. Calls no closure.
    func store(_ event: ImageTask.Event) { feed?.store(event) }

    func pass(_ event: ImageTask.Event) {
        store(event)
        run()
    }

    /// Calls a closure with the stored events.
    func run() { feed?.run() }

    func end(_ result: @autoclosure () -> Result<ImageResponse, ImageLoadingError>) {
        if case .waiter(let continuation) = self { return continuation.resume() }
        pass(.finished(result()))
    }
}
