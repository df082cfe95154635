import FirnSync
import NIOCore

/// True if the client of a connection still waits for its response.
///
/// Hummingbird's `consumeWithCancellationOnInboundClose` tells it too, but ends the connection with the response.
final class ClientPresence: Sendable {
    private struct State {
        var hasLeft = false
        /// Ends the request that runs; HTTP/1.1 has one at a time.
        var end: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    /// Runs tasks of the connection on its own thread.
    let executor: EventLoopTaskExecutor

    init(_ eventLoop: any EventLoop) { executor = EventLoopTaskExecutor(eventLoop) }

    /// The client has closed its side of the connection.
    func leave() {
        let end = state.withLock { state in
            state.hasLeft = true
            defer { state.end = nil }
            return state.end
        }
        end?()
    }

    /// Runs an operation, which is cancelled when the client leaves or the time is over.
    ///
    /// - Throws: the error of the operation; ``ServeError/timeout`` if it was cancelled because the time was over.
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

/// Runs Swift tasks on the thread of an event loop, so that a request changes threads only for its work.
final class EventLoopTaskExecutor: TaskExecutor {
    let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
