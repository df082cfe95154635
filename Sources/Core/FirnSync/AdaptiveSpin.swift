import Synchronization

/// Spins until a condition is true that other threads usually make true sooner than a thread sleeps and wakes.
///
/// Spins in vain become rarer: with each, the number of the following calls that do not spin about doubles, to at most
/// 31; with each successful one it halves. Several threads may use one value: they share its history, and only one of
/// them spins at a time, so that spinning takes no second core from threads that work.
package struct AdaptiveSpin: ~Copyable, Sendable {
    /// The number of calls that do not spin, and their number after the next spin in vain.
    private let skips = Atomic<UInt8>(0)
    private let nextSkips = Atomic<UInt8>(0)
    private static let maximumSkips: UInt8 = 31
    private let isTaken = Atomic<Bool>(false)

    /// Creates a value whose next call spins.
    package init() {}

    /// Checks the condition repeatedly. Does not yield, since on a busy machine a thread that yields continues only
    /// milliseconds later.
    ///
    /// - Parameter nanoseconds: the longest time.
    /// - Returns: whether the condition was true.
    package func wait(upTo nanoseconds: Int64, until condition: () -> Bool) -> Bool {
        let left = skips.load(ordering: .relaxed)
        if left > 0 {
            // Threads that meet here may lose a step, which only shifts the next spin.
            skips.store(left - 1, ordering: .relaxed)
            return false
        }
        guard !isTaken.exchange(true, ordering: .relaxed) else { return false }
        defer { isTaken.store(false, ordering: .relaxed) }
        let next = nextSkips.load(ordering: .relaxed)
        let start = MonotonicClock.now()
        repeat {
            for _ in 0..<8 where condition() {
                if next > 0 { nextSkips.store(next / 2, ordering: .relaxed) }
                return true
            }
        } while MonotonicClock.now() - start < nanoseconds
        skips.store(next, ordering: .relaxed)
        nextSkips.store(min(next * 2 + 1, AdaptiveSpin.maximumSkips), ordering: .relaxed)
        return false
    }
}
