public import FirnImage
import FirnSync
import Synchronization

/// A request under way: await it, watch it, raise or lower it, cancel it.
///
/// Every task ends exactly once: with a picture, with an error, or cancelled. Who listens late gets the end at once.
public final class ImageTask: Sendable {
    /// What was asked.
    public let request: ImageRequest
    private let record: Locked<TaskRecord>
    private let owner: any TaskOwner
    private let watched = Atomic<Bool>(false)
    /// Whether the task was started a second time, because its file changed meanwhile.
    let isRenewed = Atomic<Bool>(false)

    /// The engine's own name for the task.
    /// Safety: written once by the engine, before the task is handed to anybody.
    nonisolated(unsafe) var ticket = JobTicket.none

    init(request: ImageRequest, owner: any TaskOwner) {
        self.request = request
        self.owner = owner
        record = Locked(TaskRecord(priority: request.priority))
    }

    /// The picture.
    ///
    /// Cancelling the Swift task that waits here cancels this task; the wait then ends at once.
    public var image: Bitmap {
        get async throws(ImageLoadingError) { try await response.image }
    }

    /// The picture with where it came from.
    ///
    /// Cancelling the Swift task that waits here cancels this task; the wait then ends at once.
    public var response: ImageResponse {
        get async throws(ImageLoadingError) { try await result.get() }
    }

    /// How the task ended, once it has.
    private var result: Result<ImageResponse, ImageLoadingError> {
        get async {
            if let outcome = record.withLock({ $0.outcome }) { return outcome }
            return await withTaskCancellationHandler {
                await withUnsafeContinuation { listen(.waiter($0)) }
            } onCancel: {
                cancel()
            }
        }
    }

    /// Everything that happens from now on, after what a late listener missed: latest progress, latest preview, the end.
    ///
    /// A listener slower than the events loses old ones, never the end.
    public var events: AsyncStream<Event> {
        stream { .events($0) }
    }

    /// The bytes' arrival. Ends with the task.
    public var progress: AsyncStream<Progress> {
        stream { .progress($0) }
    }

    /// Early states of the picture. Ends with the task; the final picture is not among them.
    public var previews: AsyncStream<ImageResponse> {
        stream { .previews($0) }
    }

    /// How much has arrived so far.
    public var currentProgress: Progress {
        owner.progress(of: self) ?? record.withLock { $0.progress }
    }

    /// Whether the task is still under way.
    public var state: State {
        switch record.withLock({ $0.outcome }) {
        case nil: .running
        case .failure(let error) where error.fault == .cancelled: .cancelled
        default: .completed
        }
    }

    /// How the task ended, if it has.
    var outcome: Result<ImageResponse, ImageLoadingError>? { record.withLock { $0.outcome } }

    /// The latest early state of the picture, while the task is under way.
    var latestPreview: ImageResponse? { record.withLock { $0.preview } }

    /// How urgent the task is. A change counts at once, for all work that has not started.
    public var priority: ImageRequest.Priority {
        get { record.withLock { $0.priority } }
        set {
            let isNew = record.withLock { record in
                defer { record.priority = newValue }
                return record.priority != newValue && record.outcome == nil
            }
            if isNew { owner.task(self, changedPriority: newValue) }
        }
    }

    /// Whether the task rests. See ``pause()``.
    public var isPaused: Bool {
        get { record.withLock { $0.isPaused } }
        set {
            let isNew = record.withLock { record in
                defer { record.isPaused = newValue }
                return record.isPaused != newValue && record.outcome == nil
            }
            if isNew { owner.task(self, isPaused: newValue) }
        }
    }

    /// Lets the task rest: it counts for nothing, so work that only resting tasks wait for does not start, and a transfer
    /// under way stops where it is, to go on from there. What is being decoded or processed is finished. If others need
    /// the same work, this task ends with theirs.
    public func pause() { isPaused = true }

    /// Lets the task go on.
    public func resume() { isPaused = false }

    /// Ends the task now, download and decode alike, unless others wait for the same work. Does nothing to a task that has ended.
    public func cancel() {
        if end(.failure(.cancelled(source: request.description))) { owner.taskCancelled(self) }
    }

    /// Ends the task; `false` if it had ended before.
    @discardableResult
    func end(_ result: Result<ImageResponse, ImageLoadingError>) -> Bool {
        guard let listeners = settle(result) else { return false }
        listeners.forEach { $0.end(result) }
        return true
    }

    /// Ends the task without telling anybody: for many that end together, so that the first who is told finds all ended.
    ///
    /// - Returns: who is to be told; `nil` if the task had ended before.
    func settle(_ result: Result<ImageResponse, ImageLoadingError>) -> TaskRecord.Listeners? {
        record.withLock { $0.end(result) }
    }

    /// Passes on an event that is not the end.
    func pass(_ event: Event) {
        record.withLock { $0.note(event) }?.forEach { $0.pass(event) }
    }

    func listen(_ listener: TaskListener) {
        if listener.isWatching, !isWatched {
            watched.store(true, ordering: .relaxed)
            if let progress = owner.progress(of: self) { pass(.progress(progress)) }
        }
        record.withLock { $0.add(listener) }.pass(to: listener)
    }

    /// Whether anybody wants to know more than the end.
    var isWatched: Bool { watched.load(ordering: .relaxed) }

    private func stream<Element: Sendable>(
        _ listener: (AsyncStream<Element>.Continuation) -> TaskListener
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(64))
        listen(listener(continuation))
        return stream
    }
}

extension ImageTask: Hashable {
    /// A task equals itself only.
    public static func == (a: ImageTask, b: ImageTask) -> Bool { a === b }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
