import FirnData
package import FirnImage

/// The state of a pipeline at one point in time: queued and running work, and the use of memory.
public struct PipelineSnapshot: Sendable {
    /// How many jobs of a stage there are.
    package struct Queue: Hashable, Sendable {
        /// The stage.
        package let stage: PipelineEvent.Stage
        /// Jobs that could start, or rest.
        package internal(set) var queued = 0
        /// Jobs at work.
        package internal(set) var running = 0
        /// Paused transfers.
        package internal(set) var paused = 0
        /// Decodes that have begun, and wait for bytes or for memory.
        package internal(set) var waiting = 0
    }

    /// A job that is at work, or was and waits.
    package struct Job: Hashable, Sendable {
        /// Its number, as in events.
        package let number: PipelineEvent.Number
        /// What it does.
        package let stage: PipelineEvent.Stage
        /// The request that it was made for.
        package let source: String
        /// Its priority; `nil` if no task waits for it.
        package let priority: ImageRequest.Priority?
        /// Tasks that wait for it.
        package let tasks: Int
        /// How long ago it started its stage.
        package let age: Duration
        /// Whether it has been paused, or waits for bytes or memory.
        package let isWaiting: Bool
    }

    /// A count for each stage, in the order of a request's way.
    package let queues: [Queue]
    /// Jobs that have started, the oldest first; at most ``jobLimit``.
    package let jobs: [Job]
    /// Requests that have not ended.
    public let tasks: Int
    /// Bytes that decodes under way hold, by estimate.
    public let decodingBytes: Int
    /// Bytes of abandoned transfers that are kept to be resumed.
    public let partialBytes: Int
    /// Who has what of the memory budget; `nil` for a pipeline without one.
    package let memory: MemoryUsage?
    /// Counts of what has been done so far.
    public let statistics: PipelineStatistics

    /// Most jobs that are listed.
    public static let jobLimit = 100
}

extension PipelineSnapshot: CustomStringConvertible {
    /// A few lines of text for logs: without user names, passwords and secrets in queries.
    public var description: String {
        let redaction = AddressRedaction()
        var lines = ["tasks: \(tasks)"]
        for queue in queues {
            var parts = ["\(queue.running) running", "\(queue.queued) queued"]
            if queue.paused > 0 { parts.append("\(queue.paused) paused") }
            if queue.waiting > 0 { parts.append("\(queue.waiting) waiting") }
            lines.append("\(queue.stage.rawValue): " + parts.joined(separator: ", "))
        }
        var bytes = "memory: decodes \(decodingBytes) B, partial bodies \(partialBytes) B"
        if let memory {
            bytes +=
                ", caches \(memory.kept) B, animations \(memory.animations) B, budget \(memory.total) of \(memory.limit) B"
        }
        lines.append(bytes)
        lines.append(
            "so far: \(statistics.memoryHits) memory hits, \(statistics.diskHits) disk hits, "
                + "\(statistics.transfers) transfers (\(statistics.bytesLoaded) B, \(statistics.bytesWasted) B wasted), "
                + "\(statistics.decodes) decodes, \(statistics.processes) processed, \(statistics.stores) stored")
        for job in jobs {
            let state = job.isWaiting ? "waits" : "runs"
            lines.append(
                "#\(job.number) \(job.stage.rawValue) \(state) \(job.age.nanoseconds / 1_000_000) ms: \(redaction.address(job.source))"
            )
        }
        return lines.joined(separator: "\n")
    }
}
