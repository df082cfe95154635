import FirnSystem
import Synchronization

/// Work that the end of the process waits for: at most 250 ms for all of it, in `exit`.
///
/// The hook does none of the work. It is registered with the first work of the process. It does nothing in a forked
/// child, which has none of the threads, and it is not called after a signal or `_exit`.
package enum ExitWait {
    /// The longest wait, in nanoseconds.
    private static let patience: Int64 = 250_000_000
    private static let count = Atomic<Int>(0)
    /// The process that registered the hook.
    private static let process: pid_t = {
        atexit {
            guard getpid() == process else { return }
            let end = MonotonicClock.now() &+ patience
            while count.load(ordering: .acquiring) > 0, MonotonicClock.now() < end { usleep(500) }
        }
        return getpid()
    }()

    /// Notes that work has been queued. ``end()`` must follow.
    package static func begin() {
        _ = process
        count.add(1, ordering: .relaxed)
    }

    /// Notes that work is done, or will not be.
    package static func end() { count.subtract(1, ordering: .releasing) }
}
