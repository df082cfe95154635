import FirnSync

/// A closure that receives the events of a task, on an executor.
///
/// Calls do not overlap. Events that arrive during a call wait; of previews, only the latest.
final class TaskHandler: Sendable {
    private let lock = InlineLock()
    // Safety: touched only while `lock` is held.
    nonisolated(unsafe) private var queue: EventQueue
    // Safety: touched only while `lock` is held.
    nonisolated(unsafe) private var isRunning = false
    // Safety: touched only while `lock` is held.
    nonisolated(unsafe) private var isShowing = false
    private let executor: CallbackExecutor
    private let appetite: Bool
    private let body: @Sendable (ImageTask.Event) -> Void
    private let isFull: (@Sendable () -> Bool)?
    /// True if more than the end is requested.
    let isWatching: Bool

    /// - Parameters:
    ///   - interest: the events to receive besides the end.
    ///   - asksForPreviews: whether previews are made for this handler. Otherwise it receives those that other
    ///     subscribers request.
    ///   - isFull: whether the last preview has not been used yet, although the closure has returned. No other is made
    ///     until then. Called under a lock, so it must call no other code.
    init(
        on executor: CallbackExecutor, _ interest: EventQueue.Interest, asksForPreviews: Bool,
        isFull: (@Sendable () -> Bool)? = nil, _ body: @escaping @Sendable (ImageTask.Event) -> Void
    ) {
        self.executor = executor
        self.body = body
        self.isFull = isFull
        queue = EventQueue(interest)
        isWatching = !interest.isEmpty
        appetite = asksForPreviews && interest.contains(.previews)
    }

    /// Stores an event until `run`. Calls nothing.
    func store(_ event: ImageTask.Event) { lock.withLock { queue.put(event) } }

    /// Calls the closure with the stored events.
    func run() {
        let isNew = lock.withLock {
            guard !isRunning, !queue.isEmpty else { return false }
            isRunning = true
            return true
        }
        guard isNew else { return }
        executor.run { while let event = self.next() { self.body(event) } }
    }

    var previewDemand: TaskListener.PreviewDemand {
        guard appetite else { return .none }
        return lock.withLock {
            if queue.isOver { return .none }
            return queue.hasPreview || isShowing || isFull?() == true ? .met : .unmet
        }
    }

    private func next() -> ImageTask.Event? {
        lock.withLock {
            let event = queue.take()
            isRunning = event != nil
            if case .preview = event { isShowing = true } else { isShowing = false }
            return event
        }
    }
}
