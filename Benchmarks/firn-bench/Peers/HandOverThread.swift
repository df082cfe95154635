import FirnSync

/// A thread that resumes its caller: the lowest cost of asking another thread and awaiting its result.
///
/// Sleeps in `sem_wait` between two calls, as an idle worker does. One caller at a time.
final class HandOverThread: Sendable {
    private let desk = Desk()

    init() {
        WorkerThread.start { [desk] in while desk.serve() {} }
    }

    deinit { desk.ring() }

    /// Hands over to the thread, and returns once it has resumed the caller.
    func callAsFunction() async {
        await withUnsafeContinuation { continuation in
            desk.waiter.withLock { $0 = continuation }
            desk.ring()
        }
    }

    /// The state that the caller and the thread share.
    private final class Desk: Sendable {
        let waiter = Locked<UnsafeContinuation<Void, Never>?>(nil)
        private let semaphore = ThreadSemaphore()

        func ring() { semaphore.post() }

        /// Waits for a call and handles it; returns `false` if there was none because the caller is gone.
        func serve() -> Bool {
            semaphore.wait()
            guard let continuation = waiter.withLock({ $0.take() }) else { return false }
            continuation.resume()
            return true
        }
    }
}
