/// The pending stores of disk caches, and the callers that wait for them. A pure value behind the lock of the table.
struct PendingStores {
    /// The maximum number of pending bytes. Above it the cache is too slow, and further stores are dropped.
    private static let limit = 64 << 20

    private var bytes = 0
    private(set) var count = 0
    private var flushing: [UnsafeContinuation<Void, Never>] = []

    /// True if callers wait for the end of all stores.
    var isFlushing: Bool { !flushing.isEmpty }

    /// Adds a store.
    ///
    /// - Returns: false if too many bytes are pending. The first store is always accepted.
    mutating func begin(_ size: Int) -> Bool {
        guard count == 0 || size <= PendingStores.limit - bytes else { return false }
        count += 1
        bytes += size
        return true
    }

    mutating func end(_ size: Int) {
        count -= 1
        bytes -= size
    }

    mutating func waitForFlush(_ continuation: UnsafeContinuation<Void, Never>) { flushing.append(continuation) }

    mutating func takeFlushed() -> [UnsafeContinuation<Void, Never>] {
        defer { flushing = [] }
        return flushing
    }
}
