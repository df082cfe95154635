public import FoundationNetworking

/// Work in progress that can be cancelled.
public protocol Cancellable: Sendable {
    /// Cancels the work.
    func cancel()
}

/// A loader that was written for Nuke, with two callbacks.
///
/// Replace `DataLoading` by `NukeDataLoading` in the type's declaration; it then is a ``/FirnData/DataLoading``. As in
/// Nuke, checking the status is up to the loader. The loader is not told when the pipeline pauses a transfer.
public protocol NukeDataLoading: DataLoading {
    /// Starts loading.
    ///
    /// - Parameters:
    ///   - didReceiveData: called with each chunk and the response.
    ///   - completion: called once, with an error if the body did not arrive whole.
    func loadData(
        with request: URLRequest, didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable
}

extension NukeDataLoading {
    /// Starts a transfer with the events of the two callbacks.
    public func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        CallbackRelay.transfer(request, receive) { sent, relay in
            loadData(with: sent, didReceiveData: { relay.receive($0, $1) }, completion: { relay.complete($0) })
        }
    }
}

/// A loader that was written for Nuke 13, with a stream of chunks.
///
/// Replace `DataLoading` by `NukeStreamLoading` in the type's declaration; it then is a ``/FirnData/DataLoading``.
public protocol NukeStreamLoading: DataLoading {
    /// Starts loading. Cancelled with its Swift task.
    ///
    /// - Returns: the chunks as they arrive, and the response.
    func loadData(with request: URLRequest) async throws -> (AsyncThrowingStream<Data, any Error>, URLResponse)
}

extension NukeStreamLoading {
    /// Starts a transfer with the events of the stream, which is read on Swift's concurrent executor.
    public func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        CallbackRelay.transfer(request, receive) { sent, relay in
            let task = Task {
                do {
                    let (chunks, response) = try await self.loadData(with: sent)
                    relay.receive(Data(), response)
                    for try await chunk in chunks { relay.receive(chunk, response) }
                    relay.complete(Task.isCancelled ? CancellationError() : nil)
                } catch { relay.complete(error) }
            }
            return CancellableTask(task: task)
        }
    }
}

/// Wraps a Swift task, as a loader of Nuke returns one.
private struct CancellableTask: Cancellable {
    let task: Task<Void, Never>
    func cancel() { task.cancel() }
}
