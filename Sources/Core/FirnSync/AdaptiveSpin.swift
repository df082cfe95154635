import Synchronization

/// Spins until a condition is true that another thread usually sets before this one could sleep and wake.
///
/// Unsuccessful spins make later ones rarer: each about doubles the number of following calls that do not spin, up to
/// 31; each successful spin halves it. Threads may share a value: they share its history, and only one of them spins at
/// a time, so spinning takes no second core from working threads.
package struct AdaptiveSpin: ~Copyable, Sendable {
    /// The number of calls left that do not spin, and the number after the next unsuccessful spin.
    private let skips = Atomic<UInt8>(0)
    private let nextSkips = Atomic<UInt8>(0)
    private static let maximumSkips: UInt8 = 31
    private let isTaken = Atomic<Bool>(false)

    /// Creates a value whose next call spins.
    package init() {}

    /// Checks the condition repeatedly. Never yields: on a busy machine a yielding thread resumes milliseconds later.
    ///
    /// - Parameter nanoseconds: the maximum time.
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
