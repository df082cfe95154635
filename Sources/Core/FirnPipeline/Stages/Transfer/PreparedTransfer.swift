import FirnSync

/// A transfer whose request is prepared first, by a delegate or with credentials.
///
/// Calls during the preparation take effect once the loader has started.
/// Invariant: `end` is sent once, by the loader if it was started, otherwise by this type.
package final class PreparedTransfer: DataTransfer {
    private struct State {
        var handle: (any DataTransfer)?
        var preparing: Task<Void, Never>?
        var isCancelled = false
        var isPaused = false
        var priority: DataPriority?
        var isOver = false
    }

    private let state = Locked(State())
    private let receive: @Sendable (DataEvent) -> Void

    package init(_ receive: @escaping @Sendable (DataEvent) -> Void) { self.receive = receive }

    /// Runs `prepare` on this thread up to its first suspension, and then starts the loader.
    package func start(
        preparing prepare: @escaping @Sendable () async throws -> DataRequest,
        then load: @escaping @Sendable (DataRequest) -> any DataTransfer
    ) {
        let task = Task.immediateDetached {
            do {
                let request = try await prepare()
                if self.state.withLock({ $0.isCancelled }) { return self.end(.cancelled) }
                self.take(load(request))
            } catch let error as DataLoadingError {
                self.end(error)
            } catch is CancellationError {
                self.end(.cancelled)
            } catch {
                let message = "the delegate did not let it be sent: \(error)"
                self.end(DataLoadingError(.refused, message, underlying: error))
            }
        }
        let isCancelled = state.withLock { state in
            if !state.isOver, state.handle == nil { state.preparing = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    package func cancel() {
        let (handle, preparing) = state.withLock { state in
            state.isCancelled = true
            return (state.handle, state.preparing)
        }
        preparing?.cancel()
        handle?.cancel()
    }

    package var metrics: TransferMetrics? { state.withLock { $0.handle }?.metrics }

    package func pause() { pass { $0.isPaused = true }?.pause() }
    package func resume() { pass { $0.isPaused = false }?.resume() }

    package func setPriority(_ priority: DataPriority) {
        pass { $0.priority = priority }?.setPriority(priority)
    }

    private func pass(_ change: (inout State) -> Void) -> (any DataTransfer)? {
        state.withLock { state in
            change(&state)
            return state.handle
        }
    }

    private func take(_ handle: any DataTransfer) {
        let (isCancelled, isPaused, priority) = state.withLock { state in
            state.handle = handle
            state.preparing = nil
            return (state.isCancelled, state.isPaused, state.priority)
        }
        if let priority { handle.setPriority(priority) }
        if isCancelled { handle.cancel() } else if isPaused { handle.pause() }
    }

    private func end(_ error: DataLoadingError) {
        state.withLock { state in
            state.isOver = true
            state.preparing = nil
        }
        receive(.end(error))
    }
}
