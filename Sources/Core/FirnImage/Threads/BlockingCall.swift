package import FirnSync
import Synchronization

/// A blocking or computing call that runs on one of Firn's threads while a Swift task awaits it.
///
/// Cancelling the task ends a queued call at once. For a running call it sets the flag, and the task waits for the call
/// to end, unless it leaves the call behind. The task receives `CancellationError`, unless the running call still
/// succeeds.
package final class BlockingCall<Value: Sendable>: Sendable {
    /// Computes the value unless the flag is set.
    package typealias Body = @Sendable (CancellationFlag) throws -> Value

    private enum Stage {
        case waiting(Body)
        case running
        case done(Result<Value, any Error>)
    }

    private struct State {
        var stage: Stage
        var task: UnsafeContinuation<Void, Never>?
    }

    private let state: Locked<State>
    private let flag = CancellationFlag()
    private let leavesRunning: Bool

    private init(leavesRunning: Bool, _ body: @escaping Body) {
        self.leavesRunning = leavesRunning
        state = Locked(State(stage: .waiting(body)))
    }

    /// Runs `body` on a thread of `queue`, after the calls that were queued before.
    ///
    /// - Parameter leavesRunning: whether a cancelled task does not wait for a running call, which a system call may
    ///   block for any time. Default: it waits.
    /// - Throws: any error from `body`; `CancellationError` if the task is cancelled; ``/FirnSync/ThreadShortage``.
    package static func run(
        on queue: WorkerQueue = .images, leavesRunning: Bool = false, _ body: @escaping Body
    ) async throws -> Value {
        let call = BlockingCall(leavesRunning: leavesRunning, body)
        await withTaskCancellationHandler {
            await withUnsafeContinuation { task in
                let isDone = call.state.withLock { state in
                    if case .done = state.stage { return true }
                    state.task = task
                    return false
                }
                if isDone { return task.resume() }
                queue.run({ call.work() }, refused: { call.endWaiting(ThreadShortage()) })
            }
        } onCancel: {
            call.cancel()
        }
        // The value passes through the lock, which the thread sanitizer recognizes; it does not recognize the
        // continuation.
        guard case .done(let result) = call.state.withLock({ $0.stage }) else { throw CancellationError() }
        return try result.get()
    }

    /// Does the same as `run(on:_:)`, and converts errors of other types.
    ///
    /// - Parameter path: the path of the file that the call is about. Default: `nil`.
    package static func run(
        at stage: ImageError.Stage, path: String? = nil, _ body: @escaping Body
    ) async throws(ImageError) -> Value {
        do { return try await run(body) } catch { throw ImageError(error, at: stage, path: path) }
    }

    private func work() {
        let body = state.withLock { state -> Body? in
            guard case .waiting(let body) = state.stage else { return nil }
            state.stage = .running
            return body
        }
        guard let body else { return }
        let result: Result<Value, any Error>
        do {
            result = .success(try body(flag))
        } catch {
            result = .failure(flag.isCancelled ? CancellationError() : error)
        }
        end(result) { if case .done = $0 { false } else { true } }
    }

    private func cancel() {
        flag.cancel()
        guard leavesRunning else { return endWaiting(CancellationError()) }
        end(.failure(CancellationError())) { if case .done = $0 { false } else { true } }
    }

    /// Ends a queued call.
    private func endWaiting(_ error: any Error) {
        end(.failure(error)) { if case .waiting = $0 { true } else { false } }
    }

    /// Sets the result and resumes the task if `mayEnd` accepts the call's stage.
    private func end(_ result: Result<Value, any Error>, if mayEnd: (Stage) -> Bool) {
        let task = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard mayEnd(state.stage) else { return nil }
            state.stage = .done(result)
            return state.task.take()
        }
        task?.resume()
    }
}

extension WorkerQueue {
    /// The threads for decoding, processing and encoding without a pipeline: one per core.
    package static let images = WorkerQueue(count: Machine.cores)
}

/// A flag that tells work on another thread to stop. Once set, it stays set.
public final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Creates a flag that is not set.
    public init() {}

    /// True if the work must stop. Cheap enough to check for every group of rows.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Sets the flag.
    public func cancel() { flag.store(true, ordering: .relaxed) }
}
