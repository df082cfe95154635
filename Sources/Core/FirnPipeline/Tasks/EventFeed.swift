import FirnSync

/// The events of a task for a stream, which pulls them.
final class EventFeed: Sendable {
    private let lock = InlineLock()
    // Safety: touched only while `lock` is held.
    nonisolated(unsafe) private var queue: EventQueue
    // Safety: touched only while `lock` is held.
    nonisolated(unsafe) private var readers: [UnsafeContinuation<ImageTask.Event?, Never>] = []
    private let wantsPreviews: Bool

    init(_ interest: EventQueue.Interest) {
        queue = EventQueue(interest)
        wantsPreviews = interest.contains(.previews)
    }

    // MARK: The task's side

    func pass(_ event: ImageTask.Event) {
        let (reader, next) = lock.withLock {
            queue.put(event)
            return match()
        }
        reader?.resume(returning: next)
        // If a stream has several iterators, the others receive the end, too.
        if case .finished = event { leave() }
    }

    var previewDemand: TaskListener.PreviewDemand {
        guard wantsPreviews else { return .none }
        return lock.withLock { queue.isOver ? .none : queue.hasPreview ? .met : .unmet }
    }

    var hasLeft: Bool { lock.withLock { queue.isOver } }

    // MARK: The reader's side

    /// The next event; `nil` after the end, or once the reader was cancelled.
    func next() async -> ImageTask.Event? {
        await withUnsafeContinuation { reader in
            let found: (UnsafeContinuation<ImageTask.Event?, Never>?, ImageTask.Event?) = lock.withLock {
                if queue.isOver { return (reader, nil) }
                readers.append(reader)
                return match()
            }
            found.0?.resume(returning: found.1)
        }
    }

    /// Ends the feed when its reader is gone.
    func close() {
        lock.withLock { queue.close() }
        leave()
    }

    /// The reader to resume, and its event. Called under the lock.
    private func match() -> (UnsafeContinuation<ImageTask.Event?, Never>?, ImageTask.Event?) {
        guard !readers.isEmpty, let event = queue.take() else { return (nil, nil) }
        return (readers.removeFirst(), event)
    }

    /// Releases the readers after the end.
    private func leave() {
        let left = lock.withLock {
            guard queue.isOver else { return [UnsafeContinuation<ImageTask.Event?, Never>]() }
            defer { readers = [] }
            return readers
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
