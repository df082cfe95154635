/// Tracks the sleeping workers and chooses the one to wake. A pure value; the owner's lock can guard it.
///
/// At most one worker is being woken at a time. A woken worker that finds more work wakes the next. So a burst of
/// requests costs one system call instead of one for each request.
package struct IdleWorkers {
    /// The maximum number of workers. Existing workers above it are kept.
    package var maximum: Int
    private var sleeping: [Int] = []
    package private(set) var count = 0
    private var isWaking = false

    /// Creates a value without workers.
    package init(maximum: Int) { self.maximum = maximum }

    /// The worker to wake or start once the lock is released.
    package enum Call {
        case none
        case wake(Int)
        case start(Int)
    }

    /// True if a worker can be called and none is being woken.
    package var canCall: Bool { !isWaking && (!sleeping.isEmpty || count < maximum) }

    /// Calls a worker, unless one is being woken or all are running.
    ///
    /// - Parameter isFree: whether a sleeping worker will wake at once. Others are called last. Default: all will.
    package mutating func call(isFree: (Int) -> Bool = { _ in true }) -> Call {
        guard canCall else { return .none }
        isWaking = true
        if let index = sleeping.lastIndex(where: isFree) { return .wake(sleeping.remove(at: index)) }
        if count >= maximum, let worker = sleeping.popLast() { return .wake(worker) }
        count += 1
        return .start(count - 1)
    }

    /// Notes that a called worker is awake.
    package mutating func arrived() { isWaking = false }

    /// Notes that the system created no thread for a called worker.
    package mutating func failedToStart() {
        count -= 1
        isWaking = false
    }

    /// Notes that a worker goes to sleep.
    package mutating func sleeps(_ worker: Int) { sleeping.append(worker) }

    /// Notes that a sleeping worker woke without a call.
    package mutating func wakes(_ worker: Int) { sleeping.removeAll { $0 == worker } }

    /// Removes all sleeping workers and returns them.
    package mutating func dismissAll() -> [Int] { exchange(&sleeping, with: []) }
}
