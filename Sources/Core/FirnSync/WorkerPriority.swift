import FirnSystem
import Synchronization

/// The priority of Firn's threads relative to the program's other threads.
///
/// In a program with a window, the drawing thread misses frames if decoders use all cores. Such a program lowers the
/// priority of the workers; other programs gain nothing. Lowering needs no privileges, but raising it again does.
package enum WorkerPriority {
    /// The increase in niceness. On a shared core, the drawing thread then gets about nine tenths of the time.
    static let steps: Int32 = 10

    private static let isLowered = Atomic<Bool>(false)

    /// Lowers the priority of all workers of this process. Each applies it before its next job.
    package static func lower() { isLowered.store(true, ordering: .relaxed) }

    /// Gives the calling thread the lowest priority, for work without a deadline.
    package static func lowest() { _ = setpriority(Int32(bitPattern: PRIO_PROCESS.rawValue), 0, 19) }

    /// The priority of one worker thread.
    package struct OfThread {
        private var isApplied = false

        /// Creates the priority of a thread that has run no job.
        package init() {}

        /// Lowers the priority of the calling thread, once, if `lower` was called.
        package mutating func apply() {
            guard !isApplied, WorkerPriority.isLowered.load(ordering: .relaxed) else { return }
            isApplied = true
            // For Linux, 0 is the calling thread only. If the call fails, the priority is unchanged.
            let thread = Int32(bitPattern: PRIO_PROCESS.rawValue)
            errno = 0
            // Relative to the program's first thread: a worker inherits the lowered priority of a worker that started
            // it. Lowered twice, it would long hold locks that the drawing thread needs.
            let present = getpriority(thread, id_t(bitPattern: getpid()))
            guard present != -1 || errno == 0 else { return }
            _ = setpriority(thread, 0, min(19, present + WorkerPriority.steps))
        }
    }
}

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
