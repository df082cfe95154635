import Firn
import FirnSync
import FoundationEssentials

/// Receives a transfer's events for ``ActorLoader`` and resumes the task that waits for the whole body.
final class ActorReception: Sendable {
    private struct State {
        var data = Data()
        var waiter: UnsafeContinuation<Data, any Error>?
        var transfer: (any DataTransfer)?
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Returns the body of a response. Cancelling the task cancels the transfer.
    @concurrent static func bytes(of request: DataRequest, from loader: any DataLoading) async throws -> Data {
        let reception = ActorReception()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { waiter in
                reception.state.withLock { $0.waiter = waiter }
                reception.keep(loader.startLoading(request) { reception.receive($0) })
            }
        } onCancel: {
            reception.cancel()
        }
    }

    private func receive(_ event: DataEvent) {
        switch event {
        case .response: break
        case .chunk(let data): state.withLock { $0.data += data }
        case .end(let error):
            let (waiter, data) = state.withLock { state in
                defer { (state.waiter, state.transfer) = (nil, nil) }
                return (state.waiter, state.data)
            }
            if let error { waiter?.resume(throwing: error) } else { waiter?.resume(returning: data) }
        }
    }

    /// Stores a transfer until its end, and cancels it if its task was cancelled before it started.
    private func keep(_ transfer: any DataTransfer) {
        let isCancelled = state.withLock { state in
            if state.waiter != nil { state.transfer = transfer }
            return state.isCancelled
        }
        if isCancelled { transfer.cancel() }
    }

    private func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        transfer?.cancel()
    }
}
