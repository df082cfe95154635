import FirnImage
import FirnSync
import Glibc
import Synchronization

/// Threads that help with large pictures while cores are idle: one fewer than there are cores, for the whole process.
///
/// Whoever has a picture to do works on it himself and takes stripes from a common count; helpers join him as long as
/// they find some. While several pictures are done at once, the cores have enough to do, and nobody is helped beyond
/// their number. A helper that is late finds nothing left, and is waited for only in the middle of a stripe.
///
/// Lock order: the crew's lock is held alone.
package final class StripeCrew: StripeExecutor {
    /// That of the process. Its threads are started when first needed.
    package static let shared = StripeCrew(helpers: Machine.cores - 1)

    /// One picture's stripes.
    ///
    /// Safety: `body` is called only by the caller, and by helpers between joining, which holds the job open, and leaving; it is let
    /// go of once all have left, before `perform` returns. A helper that comes later still holds the job, but finds it closed.
    private final class Job: @unchecked Sendable {
        let count: Int
        private var body: (@Sendable (Int) -> Void)?
        private let next = Atomic<Int>(0)
        private let done = StripeCrew.makeSemaphore()
        private let state: Locked<(isClosed: Bool, helpers: Int)> = Locked((false, 0))

        init(count: Int, body: @escaping @Sendable (Int) -> Void) {
            self.count = count
            self.body = body
        }

        deinit { StripeCrew.destroy(done) }

        func work() {
            guard let body else { return }
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                if index >= count { return }
                body(index)
            }
        }

        func help() {
            let isOpen = state.withLock { state in
                if !state.isClosed { state.helpers += 1 }
                return !state.isClosed
            }
            guard isOpen else { return }
            work()
            let isLast = state.withLock { state in
                state.helpers -= 1
                return state.isClosed && state.helpers == 0
            }
            if isLast { sem_post(done) }
        }

        /// Lets nobody join any more and waits for those who did.
        func close() {
            let waits = state.withLock { state in
                state.isClosed = true
                return state.helpers > 0
            }
            if waits { while sem_wait(done) != 0, errno == EINTR {} }
            body = nil
        }
    }

    private struct State {
        var offers: [Job] = []
        var roster: WorkerRoster
        /// Pictures that are being done.
        var callers = 0
    }

    private let helpers: Int
    private let state: Locked<State>
    private let bells: [WorkerBell]

    init(helpers: Int) {
        self.helpers = max(0, helpers)
        state = Locked(State(roster: WorkerRoster(maximum: max(0, helpers))))
        bells = (0..<max(0, helpers)).map { _ in WorkerBell() }
    }

    /// Does the stripes on this thread and, while cores are idle, on others.
    package func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
        guard count > 1, helpers > 0 else { return SerialStripes().perform(count, body) }
        withoutActuallyEscaping(body) { body in
            let job = Job(count: count, body: body)
            let calls = state.withLock { state in
                state.callers += 1
                let wanted = max(0, min(count - 1, helpers + 1 - state.callers - state.offers.count))
                return (0..<wanted).map { _ in
                    state.offers.append(job)
                    return state.roster.call()
                }
            }
            for call in calls { perform(call) }
            job.work()
            state.withLock { state in
                state.callers -= 1
                state.offers.removeAll { $0 === job }
            }
            job.close()
        }
    }

    private func perform(_ call: WorkerRoster.Call) {
        switch call {
        case .none: break
        case .wake(let worker): bells[worker].ring()
        case .start(let worker):
            // Without a thread the caller does everything.
            if !WorkerThread.start({ self.work(worker) }) { state.withLock { $0.roster.failedToStart() } }
        }
    }

    private func work(_ worker: Int) -> Never {
        var hasJustCome = true
        var priority = WorkerPriority.OfThread()
        while true {
            let (job, call) = state.withLock { state -> (Job?, WorkerRoster.Call) in
                if hasJustCome { state.roster.arrived() }
                guard let job = state.offers.popLast() else {
                    state.roster.sleeps(worker)
                    return (nil, .none)
                }
                return (job, state.offers.isEmpty ? .none : state.roster.call())
            }
            perform(call)
            hasJustCome = job == nil
            priority.apply()
            if let job { job.help() } else { _ = bells[worker].wait(until: nil) }
        }
    }

    private static func makeSemaphore() -> UnsafeMutablePointer<sem_t> {
        let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        semaphore.initialize(to: sem_t())
        sem_init(semaphore, 0, 0)
        return semaphore
    }

    private static func destroy(_ semaphore: UnsafeMutablePointer<sem_t>) {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }
}
