import FirnSync
import Synchronization

/// A task that loads one request: await its image, follow its progress, change its priority, cancel it.
///
/// Every task ends exactly once: with an image, with an error, or cancelled. A late subscriber receives the end at
/// once.
public final class ImageTask: Hashable, Identifiable, Sendable {
    /// The request.
    public let request: ImageRequest
    private let owner: any TaskOwner
    private let lock = InlineLock()
    // Safety: touched only while `lock` is held.
    @exclusivity(unchecked) nonisolated(unsafe) private var record: TaskRecord
    private let watched = Atomic<Bool>(false)
    /// True if ``record`` has an end.
    private let isOver = Atomic<Bool>(false)
    /// Names the task in the job table.
    /// Safety: touched only under the lock of the table.
    nonisolated(unsafe) var ticket = JobTicket.none
    /// The places where the image has been looked up.
    /// Safety: touched only under the lock of the table.
    nonisolated(unsafe) var route = Route()

    /// The value of ``id``; 0 until the first access, so that tasks of memory hits share no counter.
    private let identifier = Atomic<Int64>(0)
    private static let lastIdentifier = Atomic<Int64>(0)

    /// Its number in events; 0 without observers.
    let number: UInt32

    init(request: ImageRequest, owner: any TaskOwner, number: UInt32 = 0) {
        self.request = request
        self.owner = owner
        self.number = number
        record = TaskRecord(priority: request.priority)
    }

    /// Waits for the image.
    ///
    /// Cancelling the awaiting Swift task cancels this task and ends the wait at once.
    public var image: Bitmap {
        get async throws(ImageLoadingError) { try await response.image }
    }

    /// Waits for the image and its source.
    ///
    /// Cancelling the awaiting Swift task cancels this task and ends the wait at once.
    public var response: ImageResponse {
        get async throws(ImageLoadingError) { try await result.get() }
    }

    /// Lets a caller spin before it is suspended: a worker that has the bytes at once ends the task sooner than the
    /// caller's thread sleeps and wakes.
    private static let spin = AdaptiveSpin()
    /// The longest spin, in nanoseconds: a little less than the system takes to wake a thread on another core.
    private static let longestSpin: Int64 = 10_000

    /// The result, once the task has ended.
    private var result: Result<ImageResponse, ImageLoadingError> {
        get async {
            while true {
                if let end = lock.withLock({ record.end }) { return result(end) }
                // A closure that makes the image may need this very thread.
                if !request.storage.isMaking,
                    ImageTask.spin.wait(upTo: ImageTask.longestSpin, until: { hasEnded })
                {
                    continue
                }
                await withTaskCancellationHandler {
                    await withUnsafeContinuation { listen(.waiter($0)) }
                } onCancel: {
                    cancel()
                }
            }
        }
    }

    private func result(_ end: TaskRecord.End) -> Result<ImageResponse, ImageLoadingError> {
        end.map { ImageResponse($0, for: request) }
    }

    /// The events of the task. A late subscriber first receives the latest progress, the latest preview and the end.
    ///
    /// A slow subscriber receives only the latest preview and the last 64 steps of progress; the end is never lost. No
    /// other preview is decoded for this task until the last one was received (back-pressure).
    public var events: AsyncStream<Event> { stream(.everything) { $0 } }

    /// The progress of the download. The sequence ends with the task.
    public var progress: AsyncStream<Progress> {
        stream(.progress) { if case .progress(let progress) = $0 { progress } else { nil } }
    }

    /// The previews of the image. The sequence ends with the task and does not contain the final image.
    ///
    /// A slow subscriber receives the latest one. No other is decoded until it was received.
    public var previews: AsyncStream<ImageResponse> {
        stream(.previews) { if case .preview(let preview) = $0 { preview } else { nil } }
    }

    /// The progress so far. It keeps its last value when the task ends. It is zero for an image from the memory cache.
    public var currentProgress: Progress {
        guard let progress = owner.progress(of: self) else { return lock.withLock { record.progress } }
        lock.withLock { record.see(progress) }
        return progress
    }

    /// Stores the progress before the task ends with an error.
    func see(_ progress: Progress) { lock.withLock { record.see(progress) } }

    /// True if the task has not ended.
    public var state: State {
        switch lock.withLock({ record.end }) {
        case nil: .running
        case .failure(let error) where error.fault == .cancelled: .cancelled
        default: .completed
        }
    }

    /// True if the task ended by ``cancel()``, or because the Swift task that awaited it was cancelled.
    public var isCancelled: Bool { state == .cancelled }

    /// A number that is unique in this process. It is assigned at the first access, so its order is not the order of
    /// the tasks.
    public var id: Int64 {
        let known = identifier.load(ordering: .acquiring)
        if known != 0 { return known }
        let new = ImageTask.lastIdentifier.add(1, ordering: .relaxed).newValue
        let (isFirst, other) = identifier.compareExchange(expected: 0, desired: new, ordering: .acquiringAndReleasing)
        return isFirst ? new : other
    }

    /// The result; `nil` if the task has not ended.
    package var outcome: Result<ImageResponse, ImageLoadingError>? {
        lock.withLock { record.end }.map { result($0) }
    }

    /// The latest preview, until the task ends. A task whose source refused the request keeps its stale image.
    package var latestPreview: ImageResponse? { lock.withLock { record.preview } }

    /// The priority of the task. A change applies at once to all work that has not started.
    public var priority: ImageRequest.Priority {
        get { lock.withLock { record.priority } }
        set { if lock.withLock({ record.setPriority(newValue) }) { owner.task(self, changedPriority: newValue) } }
    }

    /// True if the task is paused. Default: false.
    ///
    /// Work that only paused tasks need does not start, and a running transfer stops; set to false, it is resumed from
    /// there. Running decodes and processors are completed. If other tasks need the same work, this task ends with
    /// them.
    public var isPaused: Bool {
        get { lock.withLock { record.isPaused } }
        set { if lock.withLock({ record.setPaused(newValue) }) { owner.task(self, isPaused: newValue) } }
    }

    /// Cancels the task at once, its download and its decode, unless other tasks need the same work. Does nothing if
    /// the task has ended.
    public func cancel() {
        if end(.failure(.cancelled(source: request.description))) { owner.taskCancelled(self) }
    }

    /// Ends the task; returns `false` if it had already ended.
    @discardableResult
    func end(_ result: Result<ImageResponse, ImageLoadingError>) -> Bool {
        let end = result.map(\.origin)
        guard let listeners = settle(end) else { return false }
        notify(listeners, end)
        return true
    }

    /// Ends the task without a notification. If several tasks end together, the first listener finds all of them ended.
    ///
    /// - Returns: the listeners to notify; `nil` if the task had ended before.
    func settle(_ end: TaskRecord.End) -> TaskRecord.Listeners? {
        let listeners = lock.withLock { record.finish(end) }
        isOver.store(true, ordering: .releasing)
        if number != 0, listeners != nil { owner.taskEnded(self, end) }
        return listeners
    }

    /// Notifies the listeners that `settle` returned.
    func notify(_ listeners: TaskRecord.Listeners, _ end: TaskRecord.End) {
        listeners.forEach { $0.end(result(end)) }
    }

    /// Passes on an event that is not the end.
    func pass(_ event: Event) {
        lock.withLock { record.note(event) }?.forEach { $0.pass(event) }
    }

    /// Passes on an earlier preview of the load, unless the task already has one of the load.
    func pass(earlier preview: ImageResponse) {
        let listeners = lock.withLock {
            record.preview.map { $0.cacheType == .memory } ?? true ? record.note(.preview(preview)) : nil
        }
        listeners?.forEach { $0.pass(.preview(preview)) }
    }

    func listen(_ listener: TaskListener) {
        let isFirst = listener.isWatching && !watched.exchange(true, ordering: .relaxed)
        let end = lock.withLock { record.add(listener) }
        if let end { return listener.end(result(end)) }
        // Order: added first, so that its demand counts when a preview is made for it.
        if isFirst { owner.taskIsWatched(self) }
        listener.run()
    }

    /// True if the task has ended. Takes no lock.
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    /// True if a subscriber requests more than the end.
    var isWatched: Bool { watched.load(ordering: .relaxed) }

    /// True if a preview made now would be used soon: there are subscribers to previews, and all have received the last
    /// one.
    var wantsPreview: Bool { isWatched && lock.withLock { record.previewDemand } == .unmet }

    /// True if a subscriber has not received the last preview, and will use another one after it.
    var holdsPreview: Bool { isWatched && lock.withLock { record.previewDemand } == .met }

    /// True if a stale image would be shown: there is a subscriber to more than the end, or none at all yet.
    var mayShowStale: Bool { !request.wantsBytes && (isWatched || lock.withLock { !record.hasListeners }) }

    private func stream<Element: Sendable>(
        _ interest: EventQueue.Interest, _ element: @escaping @Sendable (Event) -> Element?
    ) -> AsyncStream<Element> {
        let feed = EventFeed(interest)
        listen(.feed(feed))
        let reader = EventReader(feed)
        return AsyncStream {
            await reader.feed.next().flatMap(element)
        } onCancel: {
            feed.close()
        }
    }

    /// A task equals itself only.
    public static func == (a: ImageTask, b: ImageTask) -> Bool { a === b }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The number of received bytes, and the total.
    public struct Progress: Hashable, Sendable {
        /// Bytes that have arrived.
        public let completed: Int
        /// The length of the body, if the source stated it.
        public let total: Int?

        /// Creates a progress.
        public init(completed: Int, total: Int?) {
            self.completed = completed
            self.total = total
        }

        /// No bytes, and an unknown total.
        static let none = Progress(completed: 0, total: nil)

        /// From 0 to 1; 0 while the total is unknown.
        public var fraction: Double {
            guard let total, total > 0 else { return 0 }
            return min(1, Double(completed) / Double(total))
        }
    }

    /// An event of a task.
    public enum Event: Sendable {
        /// More bytes have arrived.
        case progress(Progress)
        /// A preview of the image.
        case preview(ImageResponse)
        /// The end: the image or the error. Comes exactly once and last.
        case finished(Result<ImageResponse, ImageLoadingError>)
    }

    /// The state of a task.
    public enum State: Sendable {
        /// The task has not ended.
        case running
        /// Ended by ``ImageTask/cancel()``.
        case cancelled
        /// Ended with an image or an error.
        case completed
    }
}
