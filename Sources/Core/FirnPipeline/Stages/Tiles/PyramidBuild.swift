import FirnSync

/// One pyramid that is being built, shared by all requests for it.
final class PyramidBuild: Sendable {
    typealias Outcome = Result<TilePyramid, ImageLoadingError>

    private struct State {
        var progress = ImageTask.Progress.none
        var outcome: Outcome?
        /// The streams of progress of each task that was not cancelled, by its number.
        var streams: [Int: [AsyncStream<ImageTask.Progress>.Continuation]] = [:]
        var lastNumber = 0
        /// True if the last task was cancelled, so that none can join.
        var isAbandoned = false
        /// Ends the load of the bytes.
        var stopLoading: (@Sendable () -> Void)?
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
            state.lastNumber += 1
            state.streams[state.lastNumber] = []
            return state.lastNumber
        }
    }

    /// Ends a subscription: its waiting requests end at once. The last one cancels the build.
    func unsubscribe(_ number: Int) {
        let (isLast, streams) = state.withLock { state in
            let streams = state.streams.removeValue(forKey: number) ?? []
            if state.streams.isEmpty, !isAutomatic { state.isAbandoned = true }
            return (state.isAbandoned, streams)
        }
        for stream in streams { stream.finish() }
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
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { stream in
            let progress = state.withLock { state in
                state.outcome == nil && state.streams[number]?.append(stream) != nil ? state.progress : nil
            }
            if let progress { stream.yield(progress) } else { stream.finish() }
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
        // Order: checked after `stop` is set, since `cancel()` sets the flag before it reads `stop`.
        if cancellation.isCancelled { stop() }
    }

    func report(_ rows: Int, of total: Int) {
        let progress = ImageTask.Progress(completed: rows, total: total)
        let streams = state.withLock { state in
            state.progress = progress
            return state.streams.values.joined()
        }
        for stream in streams { stream.yield(progress) }
    }

    func end(_ outcome: Outcome) {
        let streams = state.withLock { state in
            defer { (state.streams, state.stopLoading) = (state.streams.mapValues { _ in [] }, nil) }
            state.outcome = state.outcome ?? outcome
            return state.streams.values.joined()
        }
        for stream in streams { stream.finish() }
    }
}

/// The build of a pyramid: ``ImagePipeline/buildPyramid(for:progress:)``.
///
/// Tasks for the same image share the work. Dropping a task does not end the work; ``cancel()`` does.
package final class PyramidTask: Sendable {
    private let build: PyramidBuild
    private let subscription: Int

    /// - Returns: `nil` if the last task of the build was cancelled.
    init?(_ build: PyramidBuild) {
        guard let subscription = build.subscribe() else { return nil }
        self.build = build
        self.subscription = subscription
    }

    /// The number of image rows that are in tiles.
    package var progress: ImageTask.Progress { build.progress }

    /// The progress, as it changes. A slow reader misses steps. Ends with the build.
    package var progressUpdates: AsyncStream<ImageTask.Progress> { build.updates(for: subscription) }

    /// The complete pyramid. Cancelling the Swift task that waits for it cancels this task.
    ///
    /// - Throws: ``ImageLoadingError``; nothing of the pyramid is left then, and an older one of the same bytes stays.
    package var pyramid: TilePyramid {
        get async throws(ImageLoadingError) {
            let outcome = await withTaskCancellationHandler {
                await build.outcome(for: subscription)
            } onCancel: {
                cancel()
            }
            return try outcome.get()
        }
    }

    /// Ends this task at once, and the build if no other task needs it.
    package func cancel() { build.unsubscribe(subscription) }
}

/// A pyramid on disk: a large image as tiles, at full size and at each half of it.
package struct TilePyramid: Hashable, Sendable {
    /// The levels and their tiles, with columns and rows as stored in the image's file.
    package let shape: PyramidShape
    package let displaySize: PixelSize
    package let wasStored: Bool
}
