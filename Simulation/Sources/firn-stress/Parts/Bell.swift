import FirnSync

/// A semaphore that several threads share.
final class Bell: Sendable {
    private let semaphore = ThreadSemaphore()

    func ring() { semaphore.post() }

    func wait() { semaphore.wait() }

    /// - Returns: whether the semaphore was posted within the time.
    func wait(seconds: Int) -> Bool { semaphore.wait(nanoseconds: Int64(seconds) * 1_000_000_000) }
}
