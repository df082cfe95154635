import FirnData

// Calls to the loader, one after the other.
extension TransferMachine {
    /// The next call, to be made without a lock and followed by `called` or `opened`; `nil` during another call.
    mutating func nextCall() -> Call? {
        guard !isBusy, let call = decide() else { return nil }
        isBusy = true
        return call
    }

    mutating func called() { isBusy = false }

    /// The state of a connection that the loader has opened.
    enum Opened {
        case used
        /// It has already ended.
        case over
        /// It is no longer needed and has to be cancelled.
        case useless
    }

    /// Notes that the loader has opened a connection.
    mutating func opened(_ number: UInt32) -> Opened {
        isBusy = false
        if number == endedNumber { return .over }
        guard phase == .opening, number == self.number else { return .useless }
        phase = .open
        return .used
    }

    private mutating func decide() -> Call? {
        if isClosing {
            isClosing = false
            return .close
        }
        switch phase {
        case .due:
            phase = .opening
            sentPriority = priority
            return .open(from: offset, number: number)
        case .open:
            if isCancelled, !isCancelSent {
                isCancelSent = true
                return .cancel
            }
            if isPaused != isHeldBack {
                isHeldBack = isPaused
                if isPaused { wasHeldBack = true }
                return isPaused ? .pause : .resume
            }
            if priority != sentPriority {
                sentPriority = priority
                return .prioritise(priority)
            }
            return nil
        case .idle, .opening, .detached, .over: return nil
        }
    }
}
