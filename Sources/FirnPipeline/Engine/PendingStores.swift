/// The stores on their way into disk caches, and the callers that wait for them. A pure value behind the lock of the
/// table.
struct PendingStores {
    /// The most bytes that may be on their way. A cache that is so far behind cannot keep up, and further stores are
    /// dropped.
    private static let limit = 64 << 20

    private var bytes = 0
    private(set) var count = 0
    private var flushing: [UnsafeContinuation<Void, Never>] = []

    /// Whether callers wait for the end of all stores.
    var isFlushing: Bool { !flushing.isEmpty }

    /// Adds a store.
    ///
    /// - Returns: whether there is room. The first store always has room.
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
