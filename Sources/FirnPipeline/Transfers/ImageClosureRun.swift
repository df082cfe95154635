import FirnImage
import FirnSync

/// A request's closure that makes the image itself, as a transfer: it takes a slot, but no thread waits for it.
///
/// Runs on the concurrent executor; the closure may suspend, but should not block.
/// Invariant: the observer is told exactly once.
final class ImageClosureRun: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let body: @Sendable () async throws -> ImageContainer
    private let state = Locked(State())

    init(_ body: @escaping @Sendable () async throws -> ImageContainer) { self.body = body }

    /// Starts the closure; `observer` is told of the end, on any thread.
    func begin(_ work: JobWork, _ ticket: JobTicket, observer: any TransferObserver) -> StageOutcome {
        let task = Task.detached { [body] in
            let outcome: StageOutcome
            do {
                var container = try await body()
                // A task ends with it, so it is no preview.
                container.isPreview = false
                work.finish(container, of: FetchedBytes.none)
                outcome = .finished
            } catch {
                work.fail(ImageClosureRun.error(error, work))
                outcome = .failed
            }
            observer.transferEnded(ticket, work, outcome)
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        return .pending
    }

    /// Nobody needs the image any more.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.task
        }?.cancel()
    }

    private static func error(_ cause: any Error, _ work: JobWork) -> ImageLoadingError {
        let source = work.request.description
        return switch cause {
        case is CancellationError: .cancelled(source: source, underlying: cause)
        case let cause as ImageLoadingError: ImageLoadingError(cause, rethrownFor: work.request)
        default: ImageLoadingError(.source, at: .loading, source: source, message: "\(cause)", underlying: cause)
        }
    }
}
