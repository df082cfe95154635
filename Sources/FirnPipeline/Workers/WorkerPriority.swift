import FirnSystem
import Synchronization

/// How the system weighs Firn's threads against those of the program around it.
///
/// A program with a window has a thread that draws, and it is late if decoders keep the cores. There, they step back; a
/// program without one loses nothing by leaving them as they are. Lowering needs no privileges, and cannot be taken
/// back without them.
package enum WorkerPriority {
    /// Steps of the system's scale by which they step back: with a core shared, drawing gets nine parts of ten.
    static let steps: Int32 = 10

    private static let isLowered = Atomic<Bool>(false)

    /// From their next job on, all workers of this process step back behind its drawing thread.
    package static func lower() { isLowered.store(true, ordering: .relaxed) }

    /// What a worker has done so far.
    struct OfThread {
        private var isApplied = false

        /// Brings the calling thread into line.
        mutating func apply() {
            guard !isApplied, WorkerPriority.isLowered.load(ordering: .relaxed) else { return }
            isApplied = true
            // Linux takes 0 for the calling thread alone. Should it refuse, the thread is as fast as before.
            let thread = Int32(bitPattern: PRIO_PROCESS.rawValue)
            errno = 0
            // From where the program's first thread stands: a worker that was started by another stands back with it
            // already, and two steps back it would wait for long with locks that the thread that draws wants.
            let present = getpriority(thread, id_t(bitPattern: getpid()))
            guard present != -1 || errno == 0 else { return }
            _ = setpriority(thread, 0, min(19, present + WorkerPriority.steps))
        }
    }
}
