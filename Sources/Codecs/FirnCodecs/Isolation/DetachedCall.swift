import FirnData
import FirnSync

/// A call on another thread, for libraries that cannot be interrupted.
///
/// The caller waits until its watch ends the call. The thread then computes to the end and frees what the call uses.
/// The number of threads is bounded: while all are busy, calls wait for one as long as their watches allow. If the
/// system starts no thread, the calling thread computes.
final class DetachedCall<Value>: @unchecked Sendable {
    // Safety: the thread alone uses the closure; the value passes through the lock.
    private enum Stage {
        case waiting(() -> Value)
        case running
        /// The system started no thread.
        case refused(() -> Value)
        case done(Value)
        case left
    }

    /// The time between two checks of the watch, in nanoseconds.
    private static var timeOfLook: Int64 { 5_000_000 }

    private let stage: Locked<Stage>
    private let caller = ThreadParker()

    private init(_ body: @escaping () -> Value) { stage = Locked(.waiting(body)) }

    /// Runs `body`, which may outlive the caller.
    ///
    /// - Returns: `nil` if the watch ended the call.
    static func run(_ watch: DecodingWatch, _ body: @escaping () -> Value) -> Value? {
        guard watch.look() else { return nil }
        let call = DetachedCall(body)
        WorkerQueue.libraries.run({ call.work() }, refused: { call.refuse() })
        return call.wait(watch)
    }

    private func work() {
        guard let value = compute() else { return }
        stage.withLock { stage in
            if case .running = stage { stage = .done(value) }
        }
        caller.unpark()
    }

    private func refuse() {
        stage.withLock { stage in
            if case .waiting(let body) = stage { stage = .refused(body) }
        }
        caller.unpark()
    }

    /// Order: releases the closure before the caller goes on.
    private func compute() -> Value? {
        let body = stage.withLock { stage -> (() -> Value)? in
            guard case .waiting(let body) = stage else { return nil }
            stage = .running
            return body
        }
        return body?()
    }

    private func wait(_ watch: DecodingWatch) -> Value? {
        while true {
            let look = min(DetachedCall.timeOfLook, watch.remaining?.nanoseconds ?? .max)
            _ = caller.park(until: MonotonicClock.now() + look)
            let goesOn = watch.look()
            let before = stage.withLock { stage in
                defer { if !goesOn { stage = .left } }
                return stage
            }
            switch before {
            case .done(let value): return value
            case .refused(let body) where goesOn: return body()
            default: if !goesOn { return nil }
            }
        }
    }
}

extension WorkerQueue {
    /// The threads for libraries that cannot be interrupted: two for each core, so that abandoned calls do not keep
    /// others from the cores.
    static let libraries = WorkerQueue(count: 2 * Machine.cores)
}
