import FirnData
import NIOCore

// Back-pressure, and the time without received bytes.
extension HTTPTransfer {
    // MARK: Back-pressure

    /// Returns `nil` to continue receiving; otherwise the sender is held back until the future completes.
    func backPressure() -> EventLoopFuture<Void>? {
        guard isPaused, receive != nil else { return nil }
        let promise = eventLoop.makePromise(of: Void.self)
        resumption = promise
        return promise.futureResult
    }

    func pauseReceiving() {
        guard receive != nil, !isPaused else { return }
        isPaused = true
        stopWatching()
        let hadPlace = if case .taken = place { true } else { false }
        releaseSlot()
        if hadPlace { place = .lent }
    }

    func resumeReceiving() {
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

    // MARK: Timeouts

    func touchIdle() {
        if idle.isCounting { idle.touch(.now()) }
    }

    /// Records received bytes of the body.
    func touch(_ count: Int) {
        guard idle.isCounting else { return }
        let now = NIODeadline.now()
        idle.touch(now)
        speed.take(count, now)
    }

    func watchIdle() {
        let now = NIODeadline.now()
        idle.touch(now)
        if hasResponse { speed.start(now) }
        engine.idleChecks.watch(self)
    }

    func stopWatching() {
        guard idle.isCounting else { return }
        idle.stop()
        speed.stop(.now())
        engine.idleChecks.leave(self)
    }

    /// The time of the next check whether enough bytes arrived.
    var deadline: NIODeadline? {
        guard let silence = idle.deadline else { return nil }
        return speed.deadline.map { min($0, silence) } ?? silence
    }

    /// Ends the transfer: too few bytes arrived by `now`.
    func endForTimeout(_ now: NIODeadline) {
        let settings = engine.settings
        guard let silence = idle.deadline, silence <= now else {
            return end(
                DataLoadingError(
                    .timeout,
                    "less than \(settings.lowSpeedLimit) bytes a second received for \(settings.lowSpeedTime)"))
        }
        let limit = hasResponse ? settings.idleTimeout : settings.firstByteTimeout ?? settings.idleTimeout
        let message = hasResponse ? "nothing received for \(limit)" : "no response within \(limit)"
        end(DataLoadingError(.timeout, message))
    }
}
