#if GTK
import FirnSync

/// Stores thumbnails on a thread of the lowest priority, one after the other, and drops those that are too many.
final class ThumbnailWriter: Sendable {
    private let waiting = Locked(0)
    private let run: @Sendable (@escaping WorkerQueue.Job) -> Void
    private static let queue = WorkerQueue(count: 1)
    /// The most thumbnails that wait. They take half a megabyte each.
    private static let maximum = 64

    /// - Parameter run: runs its argument on a thread. Default: on one for all writers.
    init(
        run: @escaping @Sendable (@escaping WorkerQueue.Job) -> Void = { job in
            ThumbnailWriter.queue.run {
                WorkerPriority.lowest()
                job()
            }
        }
    ) { self.run = run }

    func add(_ work: @escaping WorkerQueue.Job) {
        let hasRoom = waiting.withLock { waiting in
            guard waiting < ThumbnailWriter.maximum else { return false }
            waiting += 1
            return true
        }
        guard hasRoom else { return }
        run { [waiting] in
            waiting.withLock { $0 -= 1 }
            work()
        }
    }
}
#endif
