import Dispatch
import FirnSystem

/// Handles signals in place of their default action until it is released.
final class SignalHandler {
    private let sources: [any DispatchSourceSignal]

    private init(_ numbers: [Int32], _ handle: @escaping @Sendable (Int32) -> Void) {
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { handle(number) }
            source.activate()
            return source
        }
    }

    deinit { sources.forEach { $0.cancel() } }

    /// Handles SIGINT and SIGTERM: runs `cleanUp`, removes unfinished files, then ends the process by the signal.
    convenience init(cleanUp: @escaping @Sendable () -> Void) {
        self.init([SIGINT, SIGTERM]) { number in
            cleanUp()
            OutputFile.removeUnfinished()
            SignalHandler.end(by: number)
        }
    }

    /// Handles SIGUSR1: prints the state of a pipeline.
    convenience init(printing pipeline: ImagePipeline) {
        self.init([SIGUSR1]) { _ in
            Task {
                let snapshot = await pipeline.snapshot()
                for line in snapshot.description.split(separator: "\n") { StandardError.line(String(line)) }
            }
        }
    }

    /// Ends the process by the signal, so that a shell sees the cause.
    private static func end(by number: Int32) {
        signal(number, SIG_DFL)
        // Dispatch's threads block signals, so a raised one would stay pending.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
    }
}
