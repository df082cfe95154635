/// The state of a task. A value; ``ImageTask`` holds it under its lock.
///
/// Most tasks have one listener, which waits for the end. Anything beyond that is allocated only when it is needed.
///
/// Invariant: `end` is set once and never changes; from then on there are no listeners.
struct TaskRecord {
    private(set) var end: End?
    private var first: TaskListener?
    private var watch: Watch?
    private(set) var priority: ImageRequest.Priority
    private(set) var isPaused = false

    typealias End = Result<ImageResponse.Origin, ImageLoadingError>

    /// The state that only subscribers to progress and previews need.
    ///
    /// Safety: touched only where the record is.
    private final class Watch: @unchecked Sendable {
        var progress = ImageTask.Progress.none
        /// The furthest progress that a caller read, or that the engine stored at the end of a failed task.
        var seen = ImageTask.Progress.none
        var preview: ImageResponse?
        var others: [TaskListener] = []
    }

    init(priority: ImageRequest.Priority) { self.priority = priority }

    /// Stores a priority.
    ///
    /// - Returns: whether the engine has to apply it.
    mutating func setPriority(_ new: ImageRequest.Priority) -> Bool {
        defer { priority = new }
        return new != priority && end == nil
    }

    /// Stores whether the task is paused.
    ///
    /// - Returns: whether the engine has to pause or resume its work.
    mutating func setPaused(_ new: Bool) -> Bool {
        defer { isPaused = new }
        return new != isPaused && end == nil
    }

    /// The bytes that have arrived, as far as they were stored; after a success, the bytes that the image needed.
    var progress: ImageTask.Progress {
        if case .success(let origin) = end, origin.progress.completed > 0 { return origin.progress }
        guard let watch else { return .none }
        return watch.seen.completed > watch.progress.completed ? watch.seen : watch.progress
    }

    /// Stores progress that no subscriber receives.
    mutating func see(_ progress: ImageTask.Progress) {
        guard end == nil else { return }
        let watch = madeWatch()
        if progress.completed > watch.seen.completed { watch.seen = progress }
    }

    /// The latest preview, until the end. The end of a refused task keeps it.
    var preview: ImageResponse? { watch?.preview }

    /// The demand of all subscribers to previews: `unmet` if there are some, and all of them have received the last.
    var previewDemand: TaskListener.PreviewDemand {
        guard end == nil, let first else { return .none }
        return (watch?.others ?? []).reduce(first.previewDemand) { max($0, $1.previewDemand) }
    }

    var hasListeners: Bool { first != nil }

    /// Adds a listener. A late one receives the state so far, but not the end.
    ///
    /// - Returns: the end if there is one; the listener is not stored then.
    mutating func add(_ listener: TaskListener) -> End? {
        let progress = progress
        if progress.completed > 0 {
            listener.store(.progress(progress))
            watch?.progress = progress
        }
        if let preview = watch?.preview { listener.store(.preview(preview)) }
        if let end { return end }
        if first == nil {
            first = listener
        } else {
            let watch = madeWatch()
            watch.others.removeAll { $0.hasLeft }
            watch.others.append(listener)
        }
        return nil
    }

    /// Ends the task, if it has not ended.
    ///
    /// - Returns: the listeners to notify; `nil` if the task had already ended.
    mutating func finish(_ end: End) -> Listeners? {
        guard self.end == nil else { return nil }
        self.end = end
        let listeners = Listeners(first: first, others: watch?.others ?? [])
        first = nil
        watch?.others = []
        if !end.isRefusal { watch?.preview = nil }
        return listeners
    }

    /// Stores an event that is not the end.
    ///
    /// - Returns: the listeners to notify; `nil` if the task has ended or has none.
    mutating func note(_ event: ImageTask.Event) -> Listeners? {
        guard end == nil else { return nil }
        let watch = madeWatch()
        switch event {
        case .progress(let progress):
            // Two threads may report progress out of order.
            guard progress.completed > watch.progress.completed else { return nil }
            watch.progress = progress
        case .preview(let preview): watch.preview = preview
        case .finished: return nil
        }
        return first == nil ? nil : Listeners(first: first, others: watch.others)
    }

    private mutating func madeWatch() -> Watch {
        if let watch { return watch }
        let watch = Watch()
        self.watch = watch
        return watch
    }

    /// The listeners to notify once the lock is released.
    struct Listeners {
        let first: TaskListener?
        let others: [TaskListener]

        func forEach(_ body: (TaskListener) -> Void) {
            if let first { body(first) }
            for listener in others { body(listener) }
        }
    }
}

/// The calls of a task to the engine.
protocol TaskOwner: AnyObject, Sendable {
    /// The task was cancelled and no longer needs its work.
    func taskCancelled(_ task: ImageTask)
    /// Returns the bytes of the task that have arrived; `nil` if it is not in a transfer. From now on the task receives
    /// every change.
    func progress(of task: ImageTask) -> ImageTask.Progress?
    /// The task got its first listener that requests more than the end. Passes it the progress and the latest preview.
    func taskIsWatched(_ task: ImageTask)
    func task(_ task: ImageTask, changedPriority priority: ImageRequest.Priority)
    func task(_ task: ImageTask, isPaused: Bool)
    /// The task has ended, for any reason. Called once, before its listeners.
    func taskEnded(_ task: ImageTask, _ end: TaskRecord.End)
}
