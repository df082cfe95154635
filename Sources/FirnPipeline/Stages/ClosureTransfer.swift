import FirnData
import FoundationEssentials

/// A request's own closure, as a transfer. Runs on the concurrent executor; it may suspend, but should not block.
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
                receive(.end(DataLoadingError(.cancelled, "the request was cancelled")))
            } catch {
                receive(.end(DataLoadingError(.other, "\(error)")))
            }
        }
    }

    func cancel() { task.cancel() }
    func pause() {}
    func resume() {}
}
