import FirnSync

/// A result that one of Firn's own threads waits for.
final class BlockingResult<Value: Sendable>: Sendable {
    private let result = Locked<Result<Value, ImageLoadingError>?>(nil)
    private let parker = ThreadParker()

    /// Sets the result and wakes the thread. Called once.
    func set(_ value: Result<Value, ImageLoadingError>) {
        result.withLock { $0 = value }
        parker.unpark()
    }

    /// Sleeps until there is a result. Called by one thread.
    func wait() throws(ImageLoadingError) -> Value {
        while true {
            if let result = result.withLock({ $0 }) { return try result.get() }
            _ = parker.park(until: nil)
        }
    }
}
