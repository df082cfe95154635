import FirnData
import FirnImage
import FirnProcessing
import FirnSync
import FoundationEssentials

/// One pyramid that is being built, shared by all requests for it.
final class PyramidBuild: Sendable {
    typealias Outcome = Result<TilePyramid, ImageLoadingError>

    private struct State {
        var progress = ImageTask.Progress(completed: 0, total: nil)
        var outcome: Outcome?
        /// The number of tasks that were not cancelled.
        var subscribers = 0
        var waiting: [Int: UnsafeContinuation<Outcome, Never>] = [:]
        var feeds: [Int: AsyncStream<ImageTask.Progress>.Continuation] = [:]
        var lastNumber = 0
    }

    let request: ImageRequest
    /// The key in the bitmap store.
    let key: ImageCacheKey
    let cancellation = CancellationFlag()
    /// Whether the build continues without subscribers.
    private let isAutomatic: Bool
    private let state = Locked(State())

    init(_ request: ImageRequest, key: ImageCacheKey, isAutomatic: Bool) {
        self.request = request
        self.key = key
        self.isAutomatic = isAutomatic
    }

    // MARK: Subscribers

    func subscribe() { state.withLock { $0.subscribers += 1 } }

    /// Ends one subscription. The last one cancels the build.
    func unsubscribe() {
        let isLast = state.withLock { state in
            state.subscribers -= 1
            return state.subscribers == 0
        }
        if isLast, !isAutomatic { cancellation.cancel() }
    }

    var progress: ImageTask.Progress { state.withLock { $0.progress } }

    func outcome() async -> Outcome {
        await withUnsafeContinuation { continuation in
            let known = state.withLock { state -> Outcome? in
                if state.outcome == nil {
                    state.lastNumber += 1
                    state.waiting[state.lastNumber] = continuation
                }
                return state.outcome
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    func updates() -> AsyncStream<ImageTask.Progress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { feed in
            let number = state.withLock { state -> Int? in
                guard state.outcome == nil else { return nil }
                state.lastNumber += 1
                state.feeds[state.lastNumber] = feed
                return state.lastNumber
            }
            guard let number else { return feed.finish() }
            feed.yield(progress)
            feed.onTermination = { _ in _ = self.state.withLock { $0.feeds.removeValue(forKey: number) } }
        }
    }

    func report(_ rows: Int, of total: Int) {
        let progress = ImageTask.Progress(completed: rows, total: total)
        let feeds = state.withLock { state in
            state.progress = progress
            return Array(state.feeds.values)
        }
        for feed in feeds { feed.yield(progress) }
    }

    func end(_ outcome: Outcome) {
        let (waiting, feeds) = state.withLock { state in
            defer { (state.waiting, state.feeds) = ([:], [:]) }
            guard state.outcome == nil else { return (Array(state.waiting.values), Array(state.feeds.values)) }
            state.outcome = outcome
            return (Array(state.waiting.values), Array(state.feeds.values))
        }
        for continuation in waiting { continuation.resume(returning: outcome) }
        for feed in feeds { feed.finish() }
    }
}
