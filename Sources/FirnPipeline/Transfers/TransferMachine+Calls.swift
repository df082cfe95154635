import FirnData

// What is to be done with connections, one call of the loader after the other.
extension TransferMachine {
    /// The next call to make, without any lock; to be followed by `called` or `opened`. `nil` while another is being
    /// made.
    mutating func nextCall() -> Call? {
        guard !isBusy, let call = decide() else { return nil }
        isBusy = true
        return call
    }

    mutating func called() { isBusy = false }

    /// What becomes of a connection that was asked for.
    enum Opened {
        case used
        /// It has ended already.
        case over
        /// It is of no use any more, and is to be let go of.
        case useless
    }

    /// The loader has been asked for a connection.
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
            toldPriority = priority
            return .open(from: offset, number: number)
        case .open:
            if isCancelled, !isCancelTold {
                isCancelTold = true
                return .cancel
            }
            if isPaused != isHeldBack {
                isHeldBack = isPaused
                if isPaused { wasHeldBack = true }
                return isPaused ? .pause : .resume
            }
            if priority != toldPriority {
                toldPriority = priority
                return .prioritise(priority)
            }
            return nil
        case .idle, .opening, .detached, .over: return nil
        }
    }
}
