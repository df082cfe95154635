import FirnSync

/// Runs the closure of a request that makes the image itself. It takes the slot of a transfer and blocks no thread.
///
/// The closure runs on the concurrent executor. It may suspend, but must not block.
/// Invariant: the completion is called exactly once.
final class ImageClosureRun: Sendable {
    private let body: @Sendable () async throws -> ImageContainer
    private let state = Locked<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

    init(_ body: @escaping @Sendable () async throws -> ImageContainer) { self.body = body }

    /// Starts the closure.
    ///
    /// - Parameter completion: called with the image or the closure's error, on any thread.
    func begin(for request: ImageRequest, _ completion: @escaping @Sendable (StageOutcome) -> Void) {
        let task = Task.detached { [body] in
            do {
                var container = try await body()
                // The image is a result, even if the closure marked it as a preview.
                container.isPreview = false
                completion(.done(.image(container, of: FetchedBytes.none)))
            } catch  where ImageError.isCancellation(error) {
                completion(.failed(.cancelled(source: request.description, underlying: error)))
            } catch let error as ImageLoadingError {
                completion(.failed(ImageLoadingError(error, rethrownFor: request)))
            } catch {
                completion(.failed(.init(.source, at: .loading, of: request, "\(error)", underlying: error)))
            }
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels the closure's task, even before `begin`.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.task
        }?.cancel()
    }
}

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
