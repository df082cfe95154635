import FirnSync
import FirnSystem

/// A semaphore that several threads share.
final class Bell: Sendable {
    private let semaphore = ThreadSemaphore()

    func ring() { semaphore.post() }

    func wait() { semaphore.wait() }

    /// - Returns: whether the semaphore was posted within the time.
    func wait(seconds: Int) -> Bool {
        var limit = timespec()
        clock_gettime(CLOCK_REALTIME, &limit)
        limit.tv_sec += seconds
        return semaphore.wait(until: limit)
    }
}
