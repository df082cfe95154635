#if GTK
import FirnSync

/// Stores thumbnails on a thread of the lowest priority, one after the other, and drops those that are too many.
final class ThumbnailWriter: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Locked(State())
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
    /// The most thumbnails that wait. They take half a megabyte each.
    private static let maximum = 64

    /// - Parameter start: runs its argument on a thread. Returns whether there is one.
    init(
        start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = { body in
            WorkerThread.start {
                WorkerPriority.lowest()
                body()
            }
        }
    ) { self.start = start }

    func add(_ work: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            guard state.waiting.count < ThumbnailWriter.maximum else { return false }
            state.waiting.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst, !start({ [self] in run() }) { state.withLock { $0 = State() } }
    }

    private func run() {
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
    }
}
#endif
