import Dispatch
import FirnReport
import FirnSystem

/// Leaves nothing half-written behind when a user stops the command.
final class InterruptGuard {
    private let sources: [any DispatchSourceSignal]

    /// From now on SIGINT and SIGTERM first run `cleanUp`, then end the process as they do without us.
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

    /// Ends the process by the signal, so that a shell sees why.
    private static func end(by number: Int32) {
        signal(number, SIG_DFL)
        // Dispatch's own threads block signals; one that is raised here would wait forever.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
    }

    deinit { sources.forEach { $0.cancel() } }
}
