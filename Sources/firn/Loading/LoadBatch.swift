import Firn
import FirnReport

/// Loads many sources with bounded concurrency and delivers outcomes in order.
struct LoadBatch: Sendable {
    let items: [SourceList.Item]
    let plan: LoadPlan
    let pipeline: ImagePipeline

    /// Runs the batch.
    ///
    /// - Parameters:
    ///   - finished: called once for each source, as soon as it is done.
    ///   - deliver: called once for each source, in order.
    func run(finished: (LoadOutcome) -> Void, deliver: (LoadOutcome) -> Void) async {
        var waiting: [Int: LoadOutcome] = [:]
        var delivered = 0
        await withTaskGroup(of: (Int, LoadOutcome).self) { group in
            var running = 0
            var next = 0
            while next < items.count || running > 0 {
                // Outcomes that wait for an earlier one hold memory: they count like running loads, up to a limit.
                while next < items.count, running < plan.jobs, next - delivered < plan.jobs * 8 {
                    let index = next
                    switch items[index] {
                    case .failure(let name, let reason):
                        let name = plan.redaction.address(name)
                        group.addTask { (index, LoadBatch.failed(name, reason)) }
                    case .source(let source):
                        let output = plan.output
                        let stem = output?.target.stem(for: source).flatMap { output?.places.reserve($0) }
                        let one = SourceLoad(source: source, stem: stem, plan: plan, pipeline: pipeline)
                        group.addTask { (index, await one.run()) }
                    }
                    next += 1
                    running += 1
                }
                guard let (index, outcome) = await group.next() else { break }
                running -= 1
                finished(outcome)
                waiting[index] = outcome
                while let ready = waiting.removeValue(forKey: delivered) {
                    deliver(ready)
                    delivered += 1
                }
            }
        }
    }

    private static func failed(_ name: String, _ reason: String) -> LoadOutcome {
        LoadOutcome(
            name: QuotedText.of(name), jsonName: name, label: PathText.split(name).name,
            result: .failure(.init(fault: "source", message: reason)))
    }
}
