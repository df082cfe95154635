import FirnData

// What the engine wants of a transfer.
extension TransferMachine {
    /// - Parameters:
    ///   - body: what there is already, of a transfer that was given up.
    ///   - request: what the body is asked for with.
    mutating func begin(
        limit: Int, priority: DataPriority, with body: PartialBody? = nil,
        _ request: @autoclosure () -> DataRequest? = nil
    ) {
        if let body {
            chunks = body.chunks
            count = body.count
            response = body.response
            inherited = count
        }
        guard !isCancelled else { return phase = .over }
        self.limit = limit
        // An order may have come before.
        if lastPriority == 0 { self.priority = priority }
        if count > limit { drop() }
        if count == 0 {
            phase = .due
        } else if isWhole {
            phase = .over
        } else {
            restart(request())
        }
    }

    /// Whether all bytes are there that the source spoke of.
    var isWhole: Bool { response?.expectedLength == count }

    mutating func pause(number: UInt64) {
        guard isLatest(number) else { return }
        isPaused = true
    }

    /// - Parameter request: what the body was asked for with.
    mutating func resume(number: UInt64, _ request: @autoclosure () -> DataRequest?) {
        guard isLatest(number) else { return }
        isPaused = false
        if phase == .detached, waitsBeyond.map({ number > $0 }) ?? true { restart(request()) }
    }

    /// The engine has taken note that the transfer waits, and gives it a slot again by a resumption of a higher number.
    mutating func waitNoted(_ number: UInt64, _ request: @autoclosure () -> DataRequest?) {
        guard phase == .detached, waitsBeyond != nil else { return }
        waitsBeyond = number
        // Order: the resumption may have come before this.
        if lastOrder > number, !isPaused { restart(request()) }
    }

    /// Lets go of the connection of a paused transfer, if the rest can be had without it.
    mutating func release(number: UInt64, _ request: @autoclosure () -> DataRequest?) {
        guard isLatest(number), isPaused, phase == .open, !isCancelled, rest(of: request()) != nil else { return }
        isClosing = true
        giveUp()
        phase = .detached
    }

    mutating func prioritise(_ priority: DataPriority, number: UInt64) {
        guard number >= lastPriority else { return }
        lastPriority = number
        self.priority = priority
    }

    private mutating func isLatest(_ number: UInt64) -> Bool {
        guard number >= lastOrder else { return false }
        lastOrder = number
        return true
    }

    /// The bytes are of no use: ends the transfer and lets go of its connection.
    ///
    /// - Returns: whether it was not over yet.
    mutating func giveUpContent() -> Bool {
        guard phase != .over, !isCancelled else { return false }
        isClosing = phase == .open
        phase = .over
        return true
    }

    /// Nobody needs the bytes any more.
    ///
    /// - Returns: whether the transfer is over by that; otherwise its end is still to come from the loader.
    mutating func cancel() -> Bool {
        guard phase != .over else { return false }
        isCancelled = true
        // Without a connection nobody else would end it.
        guard phase == .detached || phase == .due else { return false }
        phase = .over
        return true
    }
}
