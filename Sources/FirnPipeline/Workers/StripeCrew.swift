import FirnImage

/// Threads that help with large images while cores are idle: one fewer than there are cores, for the whole process.
///
/// Whoever has an image to do works on it himself and takes stripes from a common count; helpers join him as long as
/// they find some. While several images are done at once, the cores have enough to do, and nobody is helped beyond
/// their number. A helper that is late finds nothing left, and is waited for only in the middle of a stripe.
///
/// Lock order: the crew's lock is held alone.
package final class StripeCrew: StripeExecutor {
    /// That of the process. Its threads are started when first needed.
    package static let shared = StripeCrew(helpers: Machine.cores - 1)

    private struct Offers: WaitingWork {
        /// An image as often as helpers are wanted for it.
        var jobs: [StripeJob] = []
        /// Images that are being done.
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

    /// Does the stripes on this thread and, while cores are idle, on others.
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
