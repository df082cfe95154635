import FirnData
import NIOCore

// The receiver holds the sender back; and the time in which nothing comes.
extension HTTPTransfer {
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
        stopWatching()
        let hadPlace = if case .taken = place { true } else { false }
        leavePlace()
        if hadPlace { place = .lent }
    }

    func goOn() {
        guard receive != nil, isPaused else { return }
        isPaused = false
        if case .lent = place, let origin {
            engine.slots.reenter(origin)
            place = .taken
            watchIdle()
        } else if let origin {
            joinLine(origin)
        }
        if isDecompressing { takeTurn() } else { release() }
    }

    func release() {
        let promise = resumption
        resumption = nil
        promise?.succeed(())
    }

    // MARK: Silence and slowness

    func touchIdle() {
        if idle.isCounting { idle.touch(.now()) }
    }

    /// Bytes of the body have come.
    func touch(_ count: Int) {
        guard idle.isCounting else { return }
        let now = NIODeadline.now()
        idle.touch(now)
        speed.take(count, now)
    }

    func watchIdle() {
        let now = NIODeadline.now()
        idle.touch(now)
        if hasAnswer { speed.start(now) }
        engine.idleChecks.watch(self)
    }

    func stopWatching() {
        guard idle.isCounting else { return }
        idle.stop()
        speed.stop(.now())
        engine.idleChecks.leave(self)
    }

    /// When a look is due whether enough has come.
    var deadline: NIODeadline? {
        guard let silence = idle.deadline else { return nil }
        return speed.deadline.map { min($0, silence) } ?? silence
    }

    /// Ends the transfer: too little has come by `now`.
    func waitedTooLong(_ now: NIODeadline) {
        let settings = engine.settings
        guard let silence = idle.deadline, silence <= now else {
            return end(
                DataLoadingError(
                    .timeout,
                    "less than \(settings.lowSpeedLimit) bytes a second received for \(settings.lowSpeedTime)"))
        }
        let limit = hasAnswer ? settings.idleTimeout : settings.firstByteTimeout ?? settings.idleTimeout
        let message = hasAnswer ? "nothing received for \(limit)" : "no answer within \(limit)"
        end(DataLoadingError(.timeout, message))
    }
}
