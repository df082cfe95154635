import FirnSystem
import Synchronization

/// The priority of Firn's threads relative to the program's other threads.
///
/// A program with a window has a thread that draws, which is late if decoders use all cores. Such a program lowers
/// the priority of the workers; other programs gain nothing from that. Lowering needs no privileges, but raising it
/// again does.
package enum WorkerPriority {
    /// The steps by which the niceness is raised. On a shared core, the drawing thread gets about nine tenths of the
    /// time.
    static let steps: Int32 = 10

    private static let isLowered = Atomic<Bool>(false)

    /// Lowers the priority of all workers of this process, each from its next job on.
    package static func lower() { isLowered.store(true, ordering: .relaxed) }

    /// Gives the calling thread the lowest priority, for work that may take any time.
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
            // Linux takes 0 for the calling thread only. If it refuses, the priority is unchanged.
            let thread = Int32(bitPattern: PRIO_PROCESS.rawValue)
            errno = 0
            // Relative to the program's first thread: a worker that was started by another one inherits its lowered
            // priority. If it were lowered twice, it would hold locks that the drawing thread needs for long.
            let present = getpriority(thread, id_t(bitPattern: getpid()))
            guard present != -1 || errno == 0 else { return }
            _ = setpriority(thread, 0, min(19, present + WorkerPriority.steps))
        }
    }
}
