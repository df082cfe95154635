import FirnImage
import FirnSync

/// One pyramid that is being built, shared by all requests for it.
final class PyramidBuild: Sendable {
    typealias Outcome = Result<TilePyramid, ImageLoadingError>

    private struct State {
        var progress = ImageTask.Progress(completed: 0, total: nil)
        var outcome: Outcome?
        /// The numbers of the tasks that were not cancelled.
        var subscribers: Set<Int> = []
        /// True if the last task was cancelled, so that none can join.
        var isAbandoned = false
        /// The feeds of progress, each with the number of its task.
        var feeds: [Int: (subscriber: Int, AsyncStream<ImageTask.Progress>.Continuation)] = [:]
        var lastNumber = 0
        /// Ends the load of the bytes.
        var stopLoading: (@Sendable () -> Void)?

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    let request: ImageRequest
    /// The key in the bitmap store.
    let key: ImageCacheKey
    let cancellation = CancellationFlag()
    /// True if the build continues without subscribers.
    let isAutomatic: Bool
    private let state = Locked(State())

    init(_ request: ImageRequest, key: ImageCacheKey, isAutomatic: Bool) {
        self.request = request
        self.key = key
        self.isAutomatic = isAutomatic
    }

    // MARK: Subscribers

    /// Adds a subscription.
    ///
    /// - Returns: its number; `nil` if the build was abandoned.
    func subscribe() -> Int? {
        state.withLock { state in
            guard !state.isAbandoned else { return nil }
            let number = state.nextNumber()
            state.subscribers.insert(number)
            return number
        }
    }

    /// Ends a subscription: its waiting requests end at once. The last one cancels the build.
    func unsubscribe(_ number: Int) {
        let (isLast, feeds) = state.withLock { state in
            state.subscribers.remove(number)
            if state.subscribers.isEmpty, !isAutomatic { state.isAbandoned = true }
            let feeds = state.feeds.filter { $0.value.subscriber == number }
            for feed in feeds.keys { state.feeds[feed] = nil }
            return (state.isAbandoned, feeds.values.map(\.1))
        }
        for feed in feeds { feed.finish() }
        if isLast { cancel() }
    }

    var progress: ImageTask.Progress { state.withLock { $0.progress } }

    /// Waits for the end of the build, or of the subscription `number`.
    func outcome(for number: Int) async -> Outcome {
        for await _ in updates(for: number) {}
        return state.withLock { $0.outcome } ?? .failure(.cancelled(source: request.description))
    }

    /// The progress, until the end of the build or of the subscription `number`.
    func updates(for number: Int) -> AsyncStream<ImageTask.Progress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { feed in
            let key = state.withLock { state -> Int? in
                guard state.outcome == nil, state.subscribers.contains(number) else { return nil }
                let key = state.nextNumber()
                state.feeds[key] = (number, feed)
                return key
            }
            guard let key else { return feed.finish() }
            feed.yield(progress)
            feed.onTermination = { _ in _ = self.state.withLock { $0.feeds.removeValue(forKey: key) } }
        }
    }

    // MARK: Work

    /// Stops the build, and the load of its bytes.
    func cancel() {
        cancellation.cancel()
        state.withLock { $0.stopLoading }?()
    }

    /// Has `stop` called if the build is cancelled; at once if it already is.
    func whenCancelled(_ stop: @escaping @Sendable () -> Void) {
        state.withLock { $0.stopLoading = stop }
        // Order: looked at after it is set, as `cancel()` sets the flag before it looks.
        if cancellation.isCancelled { stop() }
    }

    func report(_ rows: Int, of total: Int) {
        let progress = ImageTask.Progress(completed: rows, total: total)
        let feeds = state.withLock { state in
            state.progress = progress
            return state.feeds.values.map(\.1)
        }
        for feed in feeds { feed.yield(progress) }
    }

    func end(_ outcome: Outcome) {
        let feeds = state.withLock { state in
            defer { (state.feeds, state.stopLoading) = ([:], nil) }
            state.outcome = state.outcome ?? outcome
            return state.feeds.values.map(\.1)
        }
        for feed in feeds { feed.finish() }
    }
}
