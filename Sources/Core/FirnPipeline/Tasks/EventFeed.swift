import FirnSync
package import Dispatch

/// The events of a task for a stream, which pulls them, or for a closure, which receives them on an executor.
///
/// Calls of the closure do not overlap. Events that arrive during a call wait; of previews, only the latest.
final class EventFeed: Sendable {
    private typealias Reader = UnsafeContinuation<ImageTask.Event?, Never>

    private struct State {
        var queue: EventQueue
        var readers: [Reader] = []
        /// True if the executor has the closure.
        var isRunning = false
        /// True if the closure uses a preview.
        var isShowing = false

        /// The reader to resume, and its event.
        mutating func match() -> (Reader?, ImageTask.Event?) {
            guard !readers.isEmpty, let event = queue.take() else { return (nil, nil) }
            return (readers.removeFirst(), event)
        }
    }

    private struct Handler {
        let executor: CallbackExecutor
        let isFull: (@Sendable () -> Bool)?
        let body: @Sendable (ImageTask.Event) -> Void
    }

    private let lock = InlineLock()
    // Safety: guarded by `lock`: every access after `init` is in one of its critical sections.
    nonisolated(unsafe) private var state: State
    /// `nil` for a stream.
    private let handler: Handler?
    private let asksForPreviews: Bool
    /// True if more than the end is requested.
    let isWatching: Bool

    /// Creates the feed of a closure, or of a stream.
    ///
    /// - Parameters:
    ///   - interest: the events to receive besides the end.
    ///   - asksForPreviews: whether previews are made for this closure. Otherwise it receives those that other
    ///     subscribers request.
    ///   - isFull: whether the last preview has not been used yet, although the closure has returned. No other is made
    ///     until then. Called under a lock, so it must call no other code.
    init(
        _ interest: EventQueue.Interest, on executor: CallbackExecutor = .immediate, asksForPreviews: Bool = true,
        _ body: (@Sendable (ImageTask.Event) -> Void)? = nil, isFull: (@Sendable () -> Bool)? = nil
    ) {
        state = State(queue: EventQueue(interest))
        handler = body.map { Handler(executor: executor, isFull: isFull, body: $0) }
        self.asksForPreviews = asksForPreviews && interest.contains(.previews)
        isWatching = !interest.isEmpty
    }

    // MARK: The task's side

    /// Stores an event, which a waiting reader receives. Calls no closure.
    func store(_ event: ImageTask.Event) {
        let (reader, next) = lock.withLock {
            state.queue.put(event)
            return state.match()
        }
        reader?.resume(returning: next)
        // If a stream has several iterators, the others receive the end, too.
        if case .finished = event { leave() }
    }

    /// Calls the closure with the stored events.
    func run() {
        guard let handler else { return }
        let isNew = lock.withLock {
            guard !state.isRunning, !state.queue.isEmpty else { return false }
            state.isRunning = true
            return true
        }
        if isNew { handler.executor.run { while let event = self.nextOfHandler() { handler.body(event) } } }
    }

    var previewDemand: TaskListener.PreviewDemand {
        guard asksForPreviews else { return .none }
        return lock.withLock {
            if state.queue.isOver { return .none }
            return state.queue.hasPreview || state.isShowing || handler?.isFull?() == true ? .met : .unmet
        }
    }

    /// True if the reader is gone, or has the end.
    var hasLeft: Bool { lock.withLock { state.queue.isOver } }

    // MARK: The reader's side

    private func nextOfHandler() -> ImageTask.Event? {
        lock.withLock {
            let event = state.queue.take()
            state.isRunning = event != nil
            if case .preview = event { state.isShowing = true } else { state.isShowing = false }
            return event
        }
    }

    /// The next event of a stream; `nil` after the end, or once the reader was cancelled.
    func next() async -> ImageTask.Event? {
        await withUnsafeContinuation { reader in
            let found: (Reader?, ImageTask.Event?) = lock.withLock {
                if state.queue.isOver { return (reader, nil) }
                state.readers.append(reader)
                return state.match()
            }
            found.0?.resume(returning: found.1)
        }
    }

    /// Ends the feed when its reader is gone.
    func close() {
        lock.withLock { state.queue.close() }
        leave()
    }

    /// Releases the readers after the end.
    private func leave() {
        let left = lock.withLock {
            guard state.queue.isOver else { return [Reader]() }
            defer { state.readers = [] }
            return state.readers
        }
        for reader in left { reader.resume(returning: nil) }
    }
}

/// Holds a feed for its reader, and ends it with the stream.
final class EventReader: Sendable {
    let feed: EventFeed

    init(_ feed: EventFeed) { self.feed = feed }

    deinit { feed.close() }
}

/// The thread or queue on which completion handlers are called.
package struct CallbackExecutor: Sendable {
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates an executor that passes calls to `run`, in order.
    package init(_ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.run = run }

    /// Creates an executor that calls handlers on a dispatch queue.
    package init(_ queue: DispatchQueue) { self.init { queue.async(execute: $0) } }

    /// Calls handlers on the main queue, which is the main actor's.
    package static let main = CallbackExecutor(DispatchQueue.main)

    /// Calls handlers on the engine's thread where the event happens, without a hop. A handler must return quickly.
    package static let immediate = CallbackExecutor { $0() }
}
