// Orders of the engine.
extension TransferMachine {
    /// - Parameters:
    ///   - body: the bytes of a cancelled transfer.
    ///   - request: the request of the body.
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
        // `prioritise` may have been called earlier.
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

    /// Begins a transfer whose chunks are removed as they are written into a file.
    mutating func begin(
        into file: FilePart, priority: DataPriority, _ request: @autoclosure () -> DataRequest?
    ) {
        (drains, known, count, inherited) = (true, file.body, file.count, file.count)
        guard !isCancelled else { return phase = .over }
        limit = .max
        if lastPriority == 0 { self.priority = priority }
        if count == 0 { phase = .due } else { restart(request()) }
    }

    /// True if all bytes of the announced length have arrived.
    var isWhole: Bool { response?.expectedLength == count }

    mutating func pause(number: UInt64) {
        guard isLatest(number) else { return }
        isPaused = true
    }

    /// - Parameter request: the request of the body.
    mutating func resume(number: UInt64, _ request: @autoclosure () -> DataRequest?) {
        guard isLatest(number) else { return }
        isPaused = false
        if phase == .detached, waitsBeyond.map({ number > $0 }) ?? true { restart(request()) }
    }

    /// Notes the engine's number of the wait. A resumption with a higher number ends the wait.
    mutating func waitNoted(_ number: UInt64, _ request: @autoclosure () -> DataRequest?) {
        guard phase == .detached, waitsBeyond != nil else { return }
        waitsBeyond = number
        // Order: the resumption may have been called earlier than this.
        if lastOrder > number, !isPaused { restart(request()) }
    }

    /// Releases the connection of a paused transfer if a range request can fetch the rest.
    mutating func release(number: UInt64, _ request: @autoclosure () -> DataRequest?) {
        guard isLatest(number), isPaused, phase == .open, !isCancelled, rest(of: request()) != nil else { return }
        isClosing = true
        abandonRequest()
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

    /// Ends a transfer whose bytes are useless, and closes its connection.
    ///
    /// - Returns: false if it was already over.
    mutating func dropContent() -> Bool {
        guard phase != .over, !isCancelled else { return false }
        isClosing = phase == .open
        phase = .over
        return true
    }

    /// Cancels the transfer.
    ///
    /// - Returns: whether the transfer is over. Otherwise the loader still reports its end.
    mutating func cancel() -> Bool {
        guard phase != .over else { return false }
        isCancelled = true
        // Without a connection, the loader does not report an end.
        guard phase == .detached || phase == .due else { return false }
        phase = .over
        return true
    }
}

/// The first bytes of a body in the file of a download.
struct FilePart: Sendable {
    /// From what the rest can be requested; `nil` for an empty file.
    let body: ResumableBody?
    let count: Int
}
