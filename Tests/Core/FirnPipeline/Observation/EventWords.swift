import FirnData
import FirnPipeline

/// Formats events as text.
enum EventWords {
    static func of(_ events: [PipelineEvent]) -> [String] {
        var jobs: [PipelineEvent.Number: Int] = [:]
        func job(_ number: PipelineEvent.Number) -> Int {
            if let known = jobs[number] { return known }
            jobs[number] = jobs.count + 1
            return jobs.count
        }
        return events.compactMap { event in
            switch event.kind {
            case .memoryHit: "hit"
            case .taskStarted(let task, _): "task \(task) starts"
            case .taskChangedPriority(let task, let priority): "task \(task) to \(priority.rawValue)"
            case .taskPaused(let task): "task \(task) rests"
            case .taskResumed(let task): "task \(task) goes on"
            case .taskEnded(let task, .image(_, let pixels)): "task \(task) ends with \(pixels) px"
            case .taskEnded(let task, .failure(let error)):
                error.fault == .cancelled ? "task \(task) ends cancelled" : "task \(task) ends: \(error.fault)"
            case .jobStarted(let start):
                "job \(job(start.job))" + (start.parent.map { " of \(job($0))" } ?? "")
                    + " \(start.stage) starts for \(start.tasks.map { "\($0)" }.joined(separator: " "))"
            case .transferResponded(let number): "job \(job(number)) responded"
            case .transferArrived, .memoryUsed, .dataCacheFailed, .isolationUnavailable: nil
            case .transferPaused(let number): "job \(job(number)) paused"
            case .transferReleased(let number): "job \(job(number)) released"
            case .transferResumed(let number): "job \(job(number)) resumed"
            case .previewShown(let number, let tasks): "job \(job(number)) shown to \(tasks)"
            case .jobEnded(let end): "job \(job(end.job)) \(end.stage) \(outcome(end))"
            }
        }
    }

    private static func outcome(_ end: PipelineEvent.JobEnd) -> String {
        switch end.outcome {
        case .finished: end.pixels > 0 ? "finished \(end.pixels) px" : "finished"
        case .moved(let stage): "moves to \(stage)"
        case .suspended: "waits"
        case .failed(let error): "failed: \(error.fault)"
        case .cancelled: "cancelled"
        }
    }
}

/// Counts the starts that have no end yet.
struct EventBalance {
    private var openTasks: Set<PipelineEvent.Number> = []
    private var openJobs: [String: Int] = [:]
    private(set) var tasks = 0
    private(set) var jobs = 0

    init(_ events: [PipelineEvent]) {
        for event in events {
            switch event.kind {
            case .taskStarted(let number, _):
                openTasks.insert(number)
                tasks += 1
            case .taskEnded(let number, _): openTasks.remove(number)
            case .jobStarted(let start):
                openJobs["\(start.job) \(start.stage)", default: 0] += 1
                jobs += 1
            case .jobEnded(let end): openJobs["\(end.job) \(end.stage)", default: 0] -= 1
            default: break
            }
        }
    }

    var isEven: Bool { openTasks.isEmpty && openJobs.values.allSatisfy { $0 == 0 } }
}
