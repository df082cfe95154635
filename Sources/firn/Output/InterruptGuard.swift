import Dispatch
import FirnReport
import Glibc

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
                signal(number, SIG_DFL)
                raise(number)
            }
            source.activate()
            return source
        }
    }

    deinit { sources.forEach { $0.cancel() } }
}
