/// Which workers sleep, and which to wake. A pure value, so that it can lie behind another part's lock.
///
/// One wake-up is under way at a time. A woken worker that finds more work wakes the next. So a burst of requests costs
/// one system call instead of one each.
struct IdleWorkers {
    /// The most workers.
    private(set) var maximum: Int
    private var sleeping: [Int] = []
    private(set) var count = 0
    private var isWaking = false

    init(maximum: Int) { self.maximum = maximum }

    /// Changes the most workers. Workers above it stay.
    mutating func setMaximum(_ maximum: Int) { self.maximum = maximum }

    /// The worker to wake or start once the lock is released.
    enum Call {
        case none
        case wake(Int)
        case start(Int)
    }

    /// Whether a worker can be called and none is on its way.
    var canCall: Bool { !isWaking && (!sleeping.isEmpty || count < maximum) }

    /// Calls a worker, unless one is on its way or all work.
    mutating func call() -> Call {
        guard !isWaking else { return .none }
        if let worker = sleeping.popLast() {
            isWaking = true
            return .wake(worker)
        }
        guard count < maximum else { return .none }
        isWaking = true
        count += 1
        return .start(count - 1)
    }

    /// A called worker is awake.
    mutating func arrived() { isWaking = false }

    /// The system created no thread.
    mutating func failedToStart() {
        count -= 1
        isWaking = false
    }

    /// A worker goes to sleep.
    mutating func sleeps(_ worker: Int) { sleeping.append(worker) }

    /// A sleeping worker woke without a call.
    mutating func wakes(_ worker: Int) { sleeping.removeAll { $0 == worker } }

    /// Removes all sleeping workers and returns them.
    mutating func dismissAll() -> [Int] {
        defer { sleeping = [] }
        return sleeping
    }
}
