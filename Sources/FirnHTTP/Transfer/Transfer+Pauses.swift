import FirnData
import NIOCore

// The receiver holds the sender back; and the time in which nothing comes.
extension Transfer {
    // MARK: Back-pressure

    /// `nil`: send on. Otherwise the sender is held back until the future is there.
    func backPressure() -> EventLoopFuture<Void>? {
        guard isPaused, receive != nil else { return nil }
        let promise = eventLoop.makePromise(of: Void.self)
        resumption = promise
        return promise.futureResult
    }

    func holdBack() {
        guard receive != nil, !isPaused else { return }
        isPaused = true
        stopIdle()
        let hadPlace = if case .taken = place { true } else { false }
        leavePlace()
        if hadPlace { place = .lent }
    }

    func goOn() {
        guard receive != nil, isPaused else { return }
        isPaused = false
        if case .lent = place, let origin {
            connections.slots.reenter(origin)
            place = .taken
            watchIdle()
        } else if let origin {
            joinLine(origin)
        }
        release()
    }

    func release() {
        let promise = resumption
        resumption = nil
        promise?.succeed(())
    }

    // MARK: Idle time

    func touchIdle() {
        if idle.isCounting { idle.touch(.now()) }
    }

    func watchIdle() {
        idle.touch(.now())
        connections.idleChecks.watch(self)
    }

    func stopIdle() {
        guard idle.isCounting else { return }
        idle.stop()
        connections.idleChecks.leave(self)
    }

    func idledTooLong() {
        let settings = connections.settings
        let limit = hasAnswer ? settings.idleTimeout : settings.firstByteTimeout ?? settings.idleTimeout
        let message = hasAnswer ? "nothing received for \(limit)" : "no answer within \(limit)"
        end(DataLoadingError(.timeout, message))
    }
}
