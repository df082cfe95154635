import FirnData

/// The closures to call once bytes are in the data cache. A pure value.
struct StoreWaiters {
    private var isUnderWay = false
    private var result: StoreResult?
    private var waiting: [@Sendable (StoreResult) -> Void] = []

    /// Notes that a store of the bytes was requested.
    mutating func begin() { isUnderWay = true }

    /// Notes that the cache has stored the bytes or will not store them.
    ///
    /// - Returns: the closures to call with the result.
    mutating func end(_ result: StoreResult) -> [@Sendable (StoreResult) -> Void] {
        isUnderWay = false
        self.result = result
        defer { waiting = [] }
        return waiting
    }

    /// Adds a closure that is called at the end.
    ///
    /// - Returns: whether the closure will be called, and if not, the result; `nil` for bytes that were never to be
    ///   stored.
    mutating func wait(
        _ body: @escaping @Sendable (StoreResult) -> Void
    ) -> (waits: Bool, result: StoreResult?) {
        guard isUnderWay else { return (false, result) }
        waiting.append(body)
        return (true, nil)
    }
}

enum StoreResult: Sendable {
    case stored
    /// The entry was not to be stored.
    case skipped
    case failed(DataCachingError)
}
