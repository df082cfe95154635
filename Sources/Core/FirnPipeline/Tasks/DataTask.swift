/// A task that loads the bytes of one request: await them, follow their progress, change its priority, cancel it.
///
/// Every task ends exactly once: with the bytes, with an error, or cancelled. A late subscriber receives the end at
/// once.
public final class DataTask: Sendable {
    /// The task in the engine. Its image, if there is one, is a placeholder.
    package let work: ImageTask

    /// The request, as it was given to the pipeline.
    public let request: ImageRequest

    init(_ work: ImageTask, for request: ImageRequest) {
        self.work = work
        self.request = request
    }

    /// Waits for the bytes and their response; that is `nil` if the source has none, as for a file.
    ///
    /// Cancelling the awaiting Swift task cancels this task and ends the wait at once.
    public var response: (data: Data, response: DataResponse?) {
        get async throws(ImageLoadingError) { try await work.response.loadedBytes.get() }
    }

    /// The progress of the download. The sequence ends with the task.
    public var progress: AsyncStream<ImageTask.Progress> { work.progress }

    /// The progress so far. It keeps its last value when the task ends.
    public var currentProgress: ImageTask.Progress { work.currentProgress }

    /// True if the task has not ended.
    public var state: ImageTask.State { work.state }

    /// True if the task ended by ``cancel()``, or because the Swift task that awaited it was cancelled.
    public var isCancelled: Bool { work.isCancelled }

    /// The priority of the task. A change applies at once to all work that has not started.
    public var priority: ImageRequest.Priority {
        get { work.priority }
        set { work.priority = newValue }
    }

    /// True if the task is paused: its transfer stops and is resumed from there, unless other tasks need it.
    public var isPaused: Bool {
        get { work.isPaused }
        set { work.isPaused = newValue }
    }

    /// Cancels the task at once, and its download, unless other tasks need it. Does nothing if the task has ended.
    public func cancel() { work.cancel() }
}

extension ImageResponse {
    /// The bytes that a request for bytes has loaded, with their response.
    var loadedBytes: Result<(data: Data, response: DataResponse?), ImageLoadingError> {
        guard let bytes = origin.bytes else { return .failure(.noBytes(for: request)) }
        return .success((bytes.joined(), dataResponse))
    }
}
