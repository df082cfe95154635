import FirnData
import FirnImage
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
            } catch  where ImageError.isCancellation(error) {
                receive(
                    .end(DataLoadingError(.cancelled, "the request was cancelled", underlying: CancellationError())))
            } catch {
                // The message without the source, if the closure threw the error of another pipeline.
                let message = (error as? ImageLoadingError)?.message ?? "\(error)"
                receive(.end(DataLoadingError(.other, message, underlying: error)))
            }
        }
    }

    func cancel() { task.cancel() }
    func pause() {}
    func resume() {}
}
