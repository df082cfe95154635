/// Which workers sleep, and whom to wake: a value, so that it can be decided under the table's lock.
///
/// One wake-up is under way at a time: a woken worker that finds more to do wakes the next. So a burst of requests
/// costs one system call and not one each, and workers that are awake anyway are not crowded.
struct IdleWorkers {
    /// Most workers there will be.
    private(set) var maximum: Int
    private var sleeping: [Int] = []
    private(set) var count = 0
    private var isWaking = false

    init(maximum: Int) { self.maximum = maximum }

    /// Changes how many there will be at most. Those above it that there are stay.
    mutating func setMaximum(_ maximum: Int) { self.maximum = maximum }

    /// What to do, once the lock is released, so that somebody looks for work.
    enum Call {
        case none
        case wake(Int)
        case start(Int)
    }

    /// Whether there is a worker to be called, and none on its way.
    var canCall: Bool { !isWaking && (!sleeping.isEmpty || count < maximum) }

    /// Calls for a worker, unless one is on its way or all are at work.
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

    /// A worker that was called has arrived.
    mutating func arrived() { isWaking = false }

    /// The system gave no thread.
    mutating func failedToStart() {
        count -= 1
        isWaking = false
    }

    /// A worker found nothing to do.
    mutating func sleeps(_ worker: Int) { sleeping.append(worker) }

    /// A sleeping worker woke by itself.
    mutating func wakes(_ worker: Int) { sleeping.removeAll { $0 == worker } }

    /// Lets all who sleep go.
    mutating func dismissAll() -> [Int] {
        defer { sleeping = [] }
        return sleeping
    }
}
