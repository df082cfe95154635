/// Decides which connections stay open: a value without effects.
///
/// A connection is idle until it sends a request, and after the response. When all places are taken, a new connection
/// gets the place of the one that was idle for longest, so silent clients cannot keep others out.
struct ConnectionLedger {
    private let most: Int
    private var working: Set<UInt64> = []
    /// The idle connections, in the order in which they became idle.
    private var idle = BoundedMap<UInt64, Void>(limit: .max)
    private var last: UInt64 = 0

    init(most: Int) { self.most = max(1, most) }

    var count: Int { working.count + idle.count }
    var busy: Int { working.count }

    struct Opening: Equatable {
        let number: UInt64
        /// The connection that must be closed for it; `nil` if there is room.
        let replaced: UInt64?
    }

    /// Takes a new connection; `nil` to refuse it, because all others are busy.
    mutating func add() -> Opening? {
        let oldest = count < most ? nil : idle.removeLast()
        guard count < most else { return nil }
        last += 1
        idle.store((), for: last)
        return Opening(number: last, replaced: oldest)
    }

    mutating func begin(_ number: UInt64) {
        if idle.remove(number) { working.insert(number) }
    }

    mutating func end(_ number: UInt64) {
        if working.remove(number) != nil || idle.contains(number) { idle.store((), for: number) }
    }

    mutating func remove(_ number: UInt64) {
        if working.remove(number) == nil { _ = idle.remove(number) }
    }
}
