import FirnData
import FirnSync

/// A call on another thread, for libraries that cannot be interrupted.
///
/// The caller waits until its watch ends the call. The thread then computes to the end and frees what the call uses.
/// The number of threads is bounded: while all are busy, calls wait for one as long as their watches allow. If the
/// system starts no thread, the calling thread computes.
final class DetachedCall<Value>: @unchecked Sendable {
    // Safety: the thread alone uses the closure; the value passes through the lock.
    private struct State {
        /// `nil` once the thread has taken it, or the caller has left.
        var body: (() -> Value)?
        var value: Value?
        /// True if the system started no thread.
        var isRefused = false
    }

    /// The time between two checks of the watch, in nanoseconds.
    private static var timeOfLook: Int64 { 5_000_000 }

    private let state: Locked<State>
    private let caller = ThreadParker()

    private init(_ body: @escaping () -> Value) { state = Locked(State(body: body)) }

    /// Runs `body`, which may outlive the caller.
    ///
    /// - Returns: `nil` if the watch ended the call.
    static func run(_ watch: DecodingWatch, _ body: @escaping () -> Value) -> Value? {
        guard watch.look() else { return nil }
        let call = DetachedCall(body)
        WorkerQueue.libraries.run(
            {
                // Order: releases the closure before the caller goes on.
                let value = call.state.withLock { $0.body.take() }?()
                call.change { $0.value = value }
            }, refused: { call.change { $0.isRefused = true } })
        return call.wait(watch)
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock(body)
        caller.unpark()
    }

    private func wait(_ watch: DecodingWatch) -> Value? {
        while true {
            let look = min(DetachedCall.timeOfLook, watch.remaining?.nanoseconds ?? .max)
            _ = caller.park(until: MonotonicClock.now() + look)
            let goesOn = watch.look()
            let (value, body) = state.withLock { state in
                if !goesOn { state.body = nil }
                return (state.value, state.isRefused ? state.body : nil)
            }
            if value != nil || !goesOn { return value }
            if let body { return body() }
        }
    }
}

extension WorkerQueue {
    /// The threads for libraries that cannot be interrupted: two for each core, so that abandoned calls do not keep
    /// others from the cores.
    static let libraries = WorkerQueue(count: 2 * Machine.cores)
}
