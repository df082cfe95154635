import FirnSync
import Synchronization

/// Threads that process stripes of large images on idle cores: one thread fewer than cores.
///
/// The calling thread processes stripes; idle workers help and take stripes from the same counter. If several images
/// are processed concurrently, there are no more helpers than idle cores. The caller waits only for helpers that are in
/// the middle of a stripe.
///
/// Lock order: no other lock is taken under the crew's lock.
package final class StripeCrew: StripeExecutor {
    /// The crew of the process. Its threads start when first needed.
    package static let shared = StripeCrew(helpers: Machine.cores - 1)

    private struct Offers: WaitingWork {
        /// The jobs; each appears once for each helper that it can use.
        var jobs: [StripeJob] = []
        /// The number of images in progress.
        var callers = 0

        var isEmpty: Bool { jobs.isEmpty }
        mutating func next() -> StripeJob? { jobs.popLast() }
    }

    private let helpers: Int
    private let crew: WorkerGroup<Offers>
    /// The number of threads in ``decoding(_:)``.
    private let decoders = Atomic<Int>(0)

    init(helpers: Int) {
        self.helpers = max(0, helpers)
        crew = WorkerGroup(count: max(0, helpers), Offers(), refuse: { _ in }) { $0.help() }
    }

    /// Processes the stripes on this thread and on idle cores.
    package func perform(_ count: Int, _ body: @Sendable (Int) -> Void) { perform(count, callers: 1, body) }

    /// - Parameter callers: 0 if the calling thread is counted in `decoders`, otherwise 1.
    fileprivate func perform(_ count: Int, callers: Int, _ body: @Sendable (Int) -> Void) {
        guard count > 1, helpers > 0 else { return SerialStripes().perform(count, body) }
        withoutActuallyEscaping(body) { body in
            let job = StripeJob(count: count, body: body)
            crew.change { offers in
                offers.callers += callers
                let busy = offers.callers + decoders.load(ordering: .relaxed)
                let wanted = max(0, min(count - 1, helpers + 1 - busy - offers.jobs.count))
                for _ in 0..<wanted { offers.jobs.append(job) }
            }
            job.work()
            crew.change { offers in
                offers.callers -= callers
                offers.jobs.removeAll { $0 === job }
            }
            job.close()
        }
    }

    /// Counts the calling thread as busy while `body` runs, so that concurrent decodes get no helpers that would
    /// compete for their cores.
    package func decoding<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        decoders.add(1, ordering: .relaxed)
        defer { decoders.subtract(1, ordering: .relaxed) }
        return try body()
    }

    /// The number of cores on which no thread decodes.
    package var idleThreads: Int { max(0, helpers + 1 - decoders.load(ordering: .relaxed)) }

    /// The executor for a thread in ``decoding(_:)``.
    package var ofDecoder: any StripeExecutor { DecoderStripes(crew: self) }
}

/// The crew, for a thread that it already counts.
private struct DecoderStripes: StripeExecutor {
    let crew: StripeCrew

    var idleThreads: Int { crew.idleThreads }

    func perform(_ count: Int, _ body: @Sendable (Int) -> Void) { crew.perform(count, callers: 0, body) }
}

/// Processes the stripes of an image, in any order and on any threads.
package protocol StripeExecutor: Sendable {
    /// Calls `body` with each number from 0 to `count - 1`, once, and returns when all calls have returned.
    ///
    /// The calling thread takes part. `body` may be called on several threads concurrently.
    func perform(_ count: Int, _ body: @Sendable (Int) -> Void)

    /// The number of threads that would help the calling thread now. If it is 0, do not divide work that costs more in
    /// stripes.
    var idleThreads: Int { get }
}

extension StripeExecutor {
    /// 0: only the calling thread.
    package var idleThreads: Int { 0 }
}

/// Processes stripes on the calling thread, one after another.
package struct SerialStripes: StripeExecutor {
    package init() {}

    /// Calls `body` with each number, in order.
    package func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
        for index in 0..<max(0, count) { body(index) }
    }
}

/// The stripes of one image.
///
/// Safety: `body` is called only by the caller and by helpers that have joined and not yet left. `close` releases it
/// after all helpers have left. A later helper finds the job closed.
final class StripeJob: @unchecked Sendable {
    let count: Int
    private var body: (@Sendable (Int) -> Void)?
    private let next = Atomic<Int>(0)
    private let done = ThreadSemaphore()
    private let state: Locked<(isClosed: Bool, helpers: Int)> = Locked((false, 0))

    init(count: Int, body: @escaping @Sendable (Int) -> Void) {
        self.count = count
        self.body = body
    }

    /// Processes stripes until none is left.
    func work() {
        guard let body else { return }
        while true {
            let index = next.add(1, ordering: .relaxed).oldValue
            if index >= count { return }
            body(index)
        }
    }

    /// Processes stripes on a helper's thread, unless the job is closed.
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
        if isLast { done.post() }
    }

    /// Closes the job to further helpers and waits for the helpers that have joined.
    func close() {
        let waits = state.withLock { state in
            state.isClosed = true
            return state.helpers > 0
        }
        if waits { done.wait() }
        body = nil
    }
}
