import FirnSync
import Synchronization

/// Recent failures by request. The shell of ``FailureMemory``: adds a lock and a clock.
final class FailureCache: Sendable {
    private let memory: Locked<FailureMemory<DataRequest>>
    private let clock: @Sendable () -> Duration
    /// True if there are no failures. Read without the lock.
    private let isEmpty = Atomic<Bool>(true)

    init(_ times: FailureTimes, clock: @escaping @Sendable () -> Duration = Duration.monotonic) {
        memory = Locked(FailureMemory(times))
        self.clock = clock
    }

    /// Returns the recent failure that forbids sending a request now; `nil` if there is none. A request that ignores
    /// caches removes its failure.
    ///
    /// - Parameter withoutOlder: whether only failures count for which no cache has an older response. Default: false.
    func failure(for request: ImageRequest, withoutOlder: Bool = false) -> DataLoadingError? {
        guard !isEmpty.load(ordering: .acquiring), let key = request.dataRequest else { return nil }
        guard request.options.readsDisk else {
            memory.withLock { $0.forget(key) }
            return nil
        }
        let now = clock()
        guard let error = memory.withLock({ $0.failure(of: key, now: now, withoutOlder: withoutOlder) }) else {
            return nil
        }
        return DataLoadingError(
            error.cause, "\(error.message), a short time ago", retryAfter: error.retryAfter, isFinal: error.isFinal,
            underlying: error.underlying)
    }

    /// Returns the recent failure of a request whose source is in no cache of bytes; `nil` if there is none, or if the
    /// request ignores caches. Reads no disk.
    func certainFailure(for request: ImageRequest) -> DataLoadingError? {
        request.options.readsDisk && request.options.loads ? failure(for: request, withoutOlder: true) : nil
    }

    /// - Parameter hasOlder: whether a cache may have an older response.
    func note(_ error: DataLoadingError, for request: ImageRequest, hasOlder: Bool) {
        guard let key = request.dataRequest else { return }
        let now = clock()
        memory.withLock { memory in
            memory.note(error, of: key, now: now, hasOlder: hasOlder)
            isEmpty.store(false, ordering: .releasing)
        }
    }

    func forget(_ request: DataRequest) { memory.withLock { $0.forget(request) } }

    func removeAll() { memory.withLock { $0.removeAll() } }
}
