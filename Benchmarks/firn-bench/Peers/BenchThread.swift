import FirnSync
import FirnSystem

/// A thread that runs one closure and can be joined.
final class BenchThread {
    private let body: @Sendable () -> Void
    private var thread: pthread_t?

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func start() { thread = WorkerThread.startJoinable(body) }

    func join() {
        if let thread { pthread_join(thread, nil) }
    }
}
