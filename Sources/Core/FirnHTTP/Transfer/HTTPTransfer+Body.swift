import FirnSync

// The bytes of the body, raw or decompressed; back-pressure and idle time.
extension HTTPTransfer {
    /// The number of decompressed bytes before other events are handled. A pause takes effect after them.
    private static let bytesInTurn = 256 << 10

    /// Starts the body of a delivered response.
    func beginBody(_ headers: HTTPHeaderFields) {
        if idle.isCounting {
            speed.start(MonotonicClock.now())
            engine.idleChecks.watch(self)
        }
        let coding = ContentCoding(headers, decodesContent: engine.settings.decompresses)
        if case .steps(let steps) = coding { decoders = steps.reversed().map { ContentDecoder($0) } }
    }

    func received(_ bytes: Data) {
        touch(bytes.count)
        guard let first = decoders.first else { return deliver(bytes) }
        if let error = expansion.take(received: bytes.count) { return end(error) }
        first.feed(bytes)
        isDecompressing = !decompress()
        if isDecompressing, !isPaused { takeTurn() }
    }

    /// Delivers decompressed bytes, up to a bound on the output of all decoders together.
    ///
    /// - Returns: whether nothing is left or the receiver paused.
    private func decompress() -> Bool {
        var produced = 0
        // The last decoder first, so that the output of the others is not buffered.
        var index = decoders.count - 1
        do throws(DataLoadingError) {
            while receive != nil, index >= 0 {
                guard let piece = try decoders[index].next() else {
                    index -= 1
                    continue
                }
                if let error = expansion.take(produced: piece.count) { throw error }
                if index == decoders.count - 1 {
                    deliver(piece)
                } else {
                    index += 1
                    decoders[index].feed(piece)
                }
                produced += piece.count
                guard produced < HTTPTransfer.bytesInTurn, !isPaused else { return receive == nil }
            }
        } catch { end(error) }
        return true
    }

    /// Continues with received bytes, after other work of the thread.
    func takeTurn() {
        guard !hasTurn else { return }
        hasTurn = true
        engine.thread.execute {
            self.hasTurn = false
            self.decompressMore()
        }
    }

    private func decompressMore() {
        guard isDecompressing, !isPaused, receive != nil else { return }
        guard decompress() else {
            if !isPaused { takeTurn() }
            return
        }
        isDecompressing = false
        if !isPaused { exchange?.pump() }
    }

    private func deliver(_ data: Data) {
        if let error = body.take(data.count) { return end(error) }
        recorder.metrics.bytesDelivered += data.count
        receive?(.chunk(data))
    }

    func finished() {
        exchange = nil
        do throws(DataLoadingError) {
            for decoder in decoders { try decoder.finish() }
            end(body.end())
        } catch { end(error) }
    }

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
