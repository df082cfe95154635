import FirnSync
import NIOCore

/// Tracks whether the client of a connection still waits for its response.
///
/// Hummingbird's `consumeWithCancellationOnInboundClose` does this, too, but closes the connection after the response.
final class ClientPresence: Sendable {
    private struct State {
        var hasLeft = false
        /// Cancels the running request; HTTP/1.1 has one at a time.
        var end: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    /// Runs the tasks of the connection on its event loop.
    let executor: EventLoopTaskExecutor

    init(_ eventLoop: any EventLoop) { executor = EventLoopTaskExecutor(eventLoop) }

    /// Cancels the running request: the client has closed its side of the connection.
    func leave() {
        let end = state.withLock { state in
            state.hasLeft = true
            defer { state.end = nil }
            return state.end
        }
        end?()
    }

    /// Runs an operation and cancels it when the client leaves or at the time limit.
    ///
    /// - Throws: the error of the operation; ``ServeError/timeout`` if it was cancelled at the time limit.
    func whileThere<Value: Sendable>(
        atMost limit: Duration, _ operation: @escaping @Sendable () async throws(ServeError) -> Value
    ) async throws(ServeError) -> Value {
        let task = Task(executorPreference: executor) { () async -> Result<Value, ServeError> in
            do throws(ServeError) { return .success(try await operation()) } catch { return .failure(error) }
        }
        let hasLeft = state.withLock { state in
            if !state.hasLeft { state.end = { task.cancel() } }
            return state.hasLeft
        }
        if hasLeft { task.cancel() }
        let isLate = Locked(false)
        let timer = executor.eventLoop.scheduleTask(in: TimeAmount(limit)) {
            isLate.withLock { $0 = true }
            task.cancel()
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        timer.cancel()
        state.withLock { $0.end = nil }
        if case .failure(.clientClosed) = result, isLate.withLock({ $0 }) { throw .timeout }
        return try result.get()
    }
}

/// Runs Swift tasks on an event loop, so that a request changes threads only for its work.
final class EventLoopTaskExecutor: TaskExecutor {
    let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
