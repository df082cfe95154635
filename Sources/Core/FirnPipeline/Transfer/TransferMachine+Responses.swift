// Events of the loader.
extension TransferMachine {
    private func isPresent(_ number: UInt32) -> Bool {
        number == self.number && (phase == .open || phase == .opening)
    }

    /// Handles a response.
    ///
    /// - Returns: the error if the transfer is over.
    mutating func take(_ response: DataResponse, _ number: UInt32, _ request: @autoclosure () -> DataRequest?)
        -> DataLoadingError?
    {
        guard isPresent(number) else { return nil }
        responses += 1
        if offset > 0, let request = request() {
            switch resumable(request)?.judge(response, from: offset) ?? .startsAgain {
            case .goesOn(let total):
                // The response to the first bytes in a file is unknown.
                if self.response == nil { self.response = response }
                self.response?.expectedLength = total
                // The rest depends on these redirects, whatever the redirects of the first bytes were.
                self.response?.redirects = response.redirects
                return tooLong(total)
            case .replaces: drop()
            case .startsAgain:
                startAgain()
                return nil
            }
        }
        self.response = response
        return response.expectedLength.flatMap { tooLong($0) }
    }

    /// Drops the response and requests the whole body again over another connection.
    ///
    /// - Returns: whether the response belonged to the current connection.
    mutating func requestAgain(_ number: UInt32) -> Bool {
        guard isPresent(number), !isCancelled else { return false }
        responses += 1
        startAgain()
        return true
    }

    private mutating func startAgain() {
        isClosing = phase == .open
        abandonRequest()
        drop()
        phase = .due
    }

    enum Growth {
        case none
        case grown
        case over(DataLoadingError)
    }

    mutating func take(_ data: Data, _ number: UInt32) -> Growth {
        guard isPresent(number), !data.isEmpty else { return .none }
        guard data.count <= limit - count else {
            return tooLong(.max).map { .over($0) } ?? .none
        }
        chunks.append(data)
        count += data.count
        if drains { waiting += data.count }
        return .grown
    }

    enum Ending {
        /// The connection was released before, or the transfer continues over another.
        case none
        /// The transfer waits for a retry, without a connection.
        case waits(Duration)
        case over(DataLoadingError?)
    }

    /// The stated length if the body has another one. One that was loaded at once may be longer: its loader stated the
    /// length before a decompression. A part that was added to a body may not.
    private var wrongLength: Int? {
        guard let expected = response?.expectedLength, expected > count || expected < count && offset > 0 else {
            return nil
        }
        return expected
    }

    /// Handles the end of a connection.
    ///
    /// - Parameters:
    ///   - retrying: the policy for retries.
    ///   - random: a random number from 0 up to 1.
    ///   - metrics: the measurements of the connection.
    mutating func end(
        _ error: DataLoadingError?, _ number: UInt32, took metrics: TransferMetrics? = nil,
        retrying: @autoclosure () -> DataRetryPolicy = .none,
        random: @autoclosure () -> Double = 0,
        _ request: @autoclosure () -> DataRequest?
    ) -> Ending {
        endedNumber = number
        guard isPresent(number) else { return .none }
        var error = error
        if error == nil, let expected = wrongLength {
            error = DataLoadingError(.truncated, "the response has \(count) of \(expected) bytes")
        }
        guard let error, !isCancelled else {
            phase = .over
            return .over(isCancelled ? error ?? .cancelled : nil)
        }
        if drains {
            if count - failedAt >= TransferMachine.recovery { (retries, stalled) = (0, .zero) }
            failedAt = count
        }
        if error.cause == .timeout, let metrics { stalled += metrics.stalled }
        let delay = request().flatMap {
            retrying().delay(
                beforeRetry: retries, after: error, method: $0.method, random: random(), stalled: stalled)
        }
        if offset > 0, case .status = error.cause, delay == nil {
            // The server refuses the range. It may accept a request without one.
            abandonRequest()
            drop()
            phase = .due
        } else if wasHeldBack || isPaused, error.isLoss {
            if isWhole {
                phase = .over
                return .over(nil)
            }
            abandonRequest()
            if isPaused { phase = .detached } else { restart(request()) }
        } else if let delay, !isWhole {
            abandonRequest()
            retries += 1
            waitsBeyond = .max
            phase = .detached
            return .waits(delay)
        } else {
            phase = .over
            return .over(error)
        }
        return .none
    }

    /// Adds the measurements of an ended connection to those of the body.
    mutating func measured(_ metrics: TransferMetrics?) {
        guard var metrics else { return }
        if let measured { metrics.addEarlier(measured.metrics) }
        measured = .of(metrics)
        response?.measured = measured
    }
}
