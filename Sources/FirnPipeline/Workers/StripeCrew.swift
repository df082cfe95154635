import FirnImage

/// Threads that process stripes of large images while cores are idle. The process has one fewer than it has cores.
///
/// The calling thread processes stripes; idle workers help and take stripes from the same count. If several images are
/// processed at once, there are no more helpers than idle cores. The caller waits for a helper only in the middle of a
/// stripe.
///
/// Lock order: the crew's lock is held alone.
package final class StripeCrew: StripeExecutor {
    /// The crew of the process. Its threads start when first needed.
    package static let shared = StripeCrew(helpers: Machine.cores - 1)

    private struct Offers: WaitingWork {
        /// Each job as often as it wants helpers.
        var jobs: [StripeJob] = []
        /// The number of images in process.
        var callers = 0

        var isEmpty: Bool { jobs.isEmpty }
        mutating func next() -> StripeJob? { jobs.popLast() }
    }

    private let helpers: Int
    private let crew: WorkerGroup<Offers>

    init(helpers: Int) {
        self.helpers = max(0, helpers)
        crew = WorkerGroup(count: max(0, helpers), Offers()) { $0.help() }
    }

    /// Processes the stripes on this thread and, while cores are idle, on others.
    package func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
        guard count > 1, helpers > 0 else { return SerialStripes().perform(count, body) }
        withoutActuallyEscaping(body) { body in
            let job = StripeJob(count: count, body: body)
            crew.change { offers in
                offers.callers += 1
                let wanted = max(0, min(count - 1, helpers + 1 - offers.callers - offers.jobs.count))
                for _ in 0..<wanted { offers.jobs.append(job) }
            }
            job.work()
            crew.change { offers in
                offers.callers -= 1
                offers.jobs.removeAll { $0 === job }
            }
            job.close()
        }
    }
}
