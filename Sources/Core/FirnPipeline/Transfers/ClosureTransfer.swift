import FirnData
import FoundationEssentials

/// Runs the closure of a request for bytes as a transfer.
///
/// The closure runs on the concurrent executor. It may suspend, but must not block.
struct ClosureTransfer: DataTransfer {
    private let task: Task<Void, Never>

    init(
        _ body: @escaping @Sendable () async throws -> Data, _ receive: @escaping @Sendable (DataEvent) -> Void
    ) {
        task = Task.detached {
            do {
                let data = try await body()
                receive(.chunk(data))
                receive(.end(nil))
            } catch let error as DataLoadingError {
                receive(.end(error))
            } catch is CancellationError {
                receive(
                    .end(DataLoadingError(.cancelled, "the request was cancelled", underlying: CancellationError())))
            } catch {
                receive(.end(DataLoadingError(.other, ClosureTransfer.message(error), underlying: error)))
            }
        }
    }

    /// The message without the source, if the closure threw the error of another pipeline.
    private static func message(_ error: any Error) -> String {
        (error as? ImageLoadingError)?.message ?? "\(error)"
    }

    func cancel() { task.cancel() }
    func pause() {}
    func resume() {}
}
