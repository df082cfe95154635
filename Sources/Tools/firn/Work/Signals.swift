import Dispatch
import Firn
import FirnReport
import FirnSystem

/// Removes unfinished files when the user interrupts the command.
final class InterruptGuard {
    private let sources: [any DispatchSourceSignal]

    /// Handles SIGINT and SIGTERM: runs `cleanUp`, then ends the process by the signal.
    init(cleanUp: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                cleanUp()
                OutputFile.removeUnfinished()
                InterruptGuard.end(by: number)
            }
            source.activate()
            return source
        }
    }

    /// Ends the process by the signal, so that a shell sees the cause.
    private static func end(by number: Int32) {
        signal(number, SIG_DFL)
        // Dispatch's threads block signals. A raised one would stay pending.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
    }

    deinit { sources.forEach { $0.cancel() } }
}

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
