import FirnData
import FirnSync

// Back-pressure and idle time.
extension HTTPTransfer {
    // MARK: Back-pressure

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
        if let parked, exchange == nil {
            // Requests the missing bytes of a parked body.
            guard let next = parked.request(request, from: body.received) else { return }
            request = next
            return send()
        }
        if isDecompressing { takeTurn() } else { exchange?.pump() }
    }

    // MARK: Parking

    /// Prepares to end the request during a pause.
    ///
    /// - Returns: `true` if the missing bytes can be requested later.
    func park() -> Bool {
        guard isPaused, decoders.isEmpty, let delivered, let rest = ResumableBody(delivered, to: request),
            rest.request(request, from: body.received) != nil
        else { return false }
        parked = rest
        exchange = nil
        return true
    }

    /// Continues the body of a parked request if the response matches. Otherwise the transfer ends as if its connection
    /// was lost.
    func goOn(_ response: DataResponse, _ rest: ResumableBody) {
        parked = nil
        guard case .goesOn = rest.judge(response, from: body.received) else { return end(body.cutShort()) }
        if idle.isCounting { speed.start(MonotonicClock.now()) }
    }

    // MARK: Timeouts

    func touchIdle() {
        if idle.isCounting { idle.touch(MonotonicClock.now()) }
    }

    /// Records received body bytes.
    func touch(_ count: Int) {
        guard idle.isCounting else { return }
        let now = MonotonicClock.now()
        idle.touch(now)
        speed.take(count, now)
    }

    func watchIdle() {
        let now = MonotonicClock.now()
        idle.touch(now)
        if hasResponse { speed.start(now) }
        engine.idleChecks.watch(self)
    }

    func stopWatching() {
        guard idle.isCounting else { return }
        idle.stop()
        speed.stop(MonotonicClock.now())
        engine.idleChecks.leave(self)
    }

    /// The time of the next check for too few bytes.
    var deadline: Int64? {
        guard let silence = idle.deadline else { return nil }
        return speed.deadline.map { min($0, silence) } ?? silence
    }

    /// Ends the transfer: too few bytes arrived by `now`.
    func endForTimeout(_ now: Int64) {
        let settings = engine.settings
        guard let silence = idle.deadline, silence <= now else {
            return end(
                DataLoadingError(
                    .timeout,
                    "less than \(settings.lowSpeedLimit) bytes a second received for \(settings.lowSpeedTime)"))
        }
        if let exchange, exchange.isShared {
            exchange.abandonSilent()
            if sendLostAgain(exchange) { return }
        }
        let limit = hasResponse ? settings.idleTimeout : settings.firstByteTimeout ?? settings.idleTimeout
        let message = hasResponse ? "nothing received for \(limit)" : "no response within \(limit)"
        end(DataLoadingError(.timeout, message))
    }
}
