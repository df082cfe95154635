import Dispatch
import Firn
import FirnReport
import FirnSystem

/// Prints what a pipeline is doing whenever the process gets SIGUSR1.
final class SnapshotSignal {
    private let source: any DispatchSourceSignal

    /// From now on SIGUSR1 no longer ends the process.
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
