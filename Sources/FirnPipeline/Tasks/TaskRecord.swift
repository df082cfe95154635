/// What is known of a task so far. A value; ``ImageTask`` holds it under its lock.
///
/// Invariant: `outcome` is set once and never changes; from then on there are no listeners.
struct TaskRecord {
    private(set) var outcome: Result<ImageResponse, ImageLoadingError>?
    private(set) var progress = ImageTask.Progress(completed: 0, total: nil)
    private(set) var preview: ImageResponse?
    var priority: ImageRequest.Priority
    var isPaused = false

    /// Most tasks have one listener: it needs no array.
    private var first: TaskListener?
    private var others: [TaskListener] = []

    init(priority: ImageRequest.Priority) { self.priority = priority }

    /// Adds a listener. One who comes late gets the state so far, and the end if there is one, by `catchUp`, called
    /// without the lock.
    mutating func add(_ listener: TaskListener) -> CatchUp {
        let catchUp = CatchUp(
            progress: progress.completed > 0 ? progress : nil, preview: outcome == nil ? preview : nil,
            outcome: outcome)
        if outcome == nil {
            if first == nil { first = listener } else { others.append(listener) }
        }
        return catchUp
    }

    /// What a late listener has missed.
    struct CatchUp {
        let progress: ImageTask.Progress?
        let preview: ImageResponse?
        let outcome: Result<ImageResponse, ImageLoadingError>?

        func pass(to listener: TaskListener) {
            if let progress { listener.pass(.progress(progress)) }
            if let preview { listener.pass(.preview(preview)) }
            if let outcome { listener.end(outcome) }
        }
    }

    /// Ends the task, if it has not ended.
    ///
    /// - Returns: the listeners to be told; `nil` if the task had ended before.
    mutating func end(_ result: Result<ImageResponse, ImageLoadingError>) -> Listeners? {
        guard outcome == nil else { return nil }
        outcome = result
        preview = nil
        defer {
            first = nil
            others = []
        }
        return Listeners(first: first, others: others)
    }

    /// Takes note of an event that is not the end.
    ///
    /// - Returns: the listeners to be told; `nil` if the task has ended, or nobody listens.
    mutating func note(_ event: ImageTask.Event) -> Listeners? {
        guard outcome == nil else { return nil }
        switch event {
        case .progress(let progress):
            // Two threads may bring it: never backwards.
            guard progress.completed > self.progress.completed else { return nil }
            self.progress = progress
        case .preview(let preview): self.preview = preview
        case .finished: return nil
        }
        return first == nil ? nil : Listeners(first: first, others: others)
    }

    /// Who is to be told, once the lock is released.
    struct Listeners {
        let first: TaskListener?
        let others: [TaskListener]

        var isEmpty: Bool { first == nil }

        func forEach(_ body: (TaskListener) -> Void) {
            if let first { body(first) }
            for listener in others { body(listener) }
        }
    }
}
