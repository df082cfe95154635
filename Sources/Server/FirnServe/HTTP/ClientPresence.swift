import FirnSync

/// Whether the client of a connection still waits for its response.
///
/// Hummingbird's `consumeWithCancellationOnInboundClose` tells it too, but ends the connection with the response.
final class ClientPresence: Sendable {
    private struct State {
        var hasLeft = false
        /// Ends the request that runs; HTTP/1.1 has one at a time.
        var end: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// The client has closed its side of the connection.
    func leave() {
        let end = state.withLock { state in
            state.hasLeft = true
            defer { state.end = nil }
            return state.end
        }
        end?()
    }

    /// Runs an operation, which is cancelled when the client leaves.
    func whileThere<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws(ServeError) -> Value
    ) async throws(ServeError) -> Value {
        let task = Task { () async -> Result<Value, ServeError> in
            do throws(ServeError) {
                return .success(try await operation())
            } catch {
                return .failure(error)
            }
        }
        let hasLeft = state.withLock { state in
            if !state.hasLeft { state.end = { task.cancel() } }
            return state.hasLeft
        }
        if hasLeft { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { $0.end = nil }
        return try result.get()
    }
}
