enum TaskListener: Sendable {
    /// Reads the end from the task once it is resumed.
    case waiter(UnsafeContinuation<Void, Never>)
    case handler(TaskHandler)
    case feed(EventFeed)

    /// The demand of a listener for previews. That of several is their highest: a preview waits for the slowest.
    enum PreviewDemand: Comparable {
        case none
        /// The listener has received the last preview and wants the next one.
        case unmet
        /// The listener has not received the last preview yet.
        case met
    }

    var previewDemand: PreviewDemand {
        switch self {
        case .waiter: .none
        case .handler(let handler): handler.previewDemand
        case .feed(let feed): feed.previewDemand
        }
    }

    /// True if more than the end is requested.
    var isWatching: Bool {
        switch self {
        case .waiter: false
        case .handler(let handler): handler.isWatching
        case .feed: true
        }
    }

    /// True if the reader of the events is gone.
    var hasLeft: Bool {
        if case .feed(let feed) = self { feed.hasLeft } else { false }
    }

    /// Stores an event for a listener that is being added. Calls nothing.
    func store(_ event: ImageTask.Event) {
        switch self {
        case .waiter: break
        case .handler(let handler): handler.store(event)
        case .feed(let feed): feed.pass(event)
        }
    }

    func pass(_ event: ImageTask.Event) {
        store(event)
        run()
    }

    /// Calls a handler with the stored events.
    func run() {
        if case .handler(let handler) = self { handler.run() }
    }

    func end(_ result: @autoclosure () -> Result<ImageResponse, ImageLoadingError>) {
        if case .waiter(let continuation) = self { return continuation.resume() }
        store(.finished(result()))
        run()
    }
}
