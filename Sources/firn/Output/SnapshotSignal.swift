import Dispatch
import Firn
import FirnReport
import FirnSystem

/// Prints the state of a pipeline on SIGUSR1.
final class SnapshotSignal {
    private let source: any DispatchSourceSignal

    /// Handles SIGUSR1, which then no longer ends the process.
    init(_ pipeline: ImagePipeline) {
        signal(SIGUSR1, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
        source.setEventHandler {
            Task {
                let snapshot = await pipeline.snapshot()
                for line in snapshot.description.split(separator: "\n") { StandardError.line(String(line)) }
            }
        }
        source.activate()
    }

    deinit { source.cancel() }
}
