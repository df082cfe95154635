/// A transfer under way: running, or paused.
struct TransferEntry {
    let job: Int32
    /// Number in the ``HostRegistry``; -1 if it needs no network.
    let host: Int32
    /// Later starts have higher numbers.
    let number: UInt64
    var level: Int
    /// Paused: it has no slot.
    var isHeld = false
    /// Started because it had been passed over for long; others do not pause it.
    var isProtected = false
    /// Given up; its end is still to come.
    var isStopped = false
    /// No task waits for it, but it will end soon.
    var isLingering = false
    /// Paused for so long that its connection was let go.
    var isReleased = false
    /// It failed, and waits until the source is asked again: it is in no list.
    var isWaiting = false
    /// Whether its token has been taken out of the ``RateLimiter``, since it was paused.
    var isCharged = false
    /// When something becomes of it by itself.
    var until: Moment = .max
    /// When its early decodes run again if no bytes have come.
    var lookAt: Moment = .max

    private var askedAt: Moment
    private var isAnswered = false
    private var progressedAt: Moment = 0
    private var received = 0
    private var expected: Int?
    /// Time and bytes of its progress; what is long past counts less.
    private var seenTime = 0.0
    private var seenBytes = 0.0

    /// Whether it may be paused for others.
    var isPausable: Bool { !isHeld && host >= 0 && !isProtected && !isLingering && !isStopped }

    init(job: Int32, host: Int32, number: UInt64, level: Int, now: Moment) {
        self.job = job
        self.host = host
        self.number = number
        self.level = level
        askedAt = now
    }

    /// The source has answered.
    ///
    /// - Returns: how long that took; `nil` if it is known already.
    mutating func answered(now: Moment) -> Moment? {
        guard !isAnswered else { return nil }
        isAnswered = true
        progressedAt = now
        return max(0, now - askedAt)
    }

    mutating func began(with received: Int, expected: Int?) {
        self.received = received
        self.expected = expected
    }

    mutating func progressed(received: Int, expected: Int?, now: Moment) {
        seenTime = seenTime * 0.75 + Double(max(0, now - progressedAt))
        seenBytes = seenBytes * 0.75 + Double(max(0, received - self.received))
        self.received = received
        self.expected = expected
        progressedAt = now
        lookAt = .max
    }

    /// It goes on after a pause.
    mutating func resumed(now: Moment) {
        isHeld = false
        until = .max
        progressedAt = now
        if isReleased {
            isReleased = false
            isAnswered = false
            askedAt = now
        }
    }

    /// Whether it takes less time to end than its host takes to answer.
    func isNearlyDone(_ hosts: HostRegistry, now: Moment) -> Bool {
        guard host >= 0, let remaining = remaining(now: now) else { return false }
        return remaining < hosts[host].timeToFirstByte
    }

    /// The expected time to the end: the missing bytes at the pace so far, but at least as long as no byte has arrived;
    /// `nil` if the length is unknown.
    func remaining(now: Moment) -> Moment? { expected == nil ? nil : timeLeft(now: now) }

    /// The same, with a guess for a body of unknown length: it will take as long again as it has taken.
    func timeLeft(now: Moment) -> Moment? {
        guard seenBytes > 0 else { return nil }
        let rest = expected.map { max(0, $0 - received) } ?? received
        let estimate = Double(rest) * seenTime / seenBytes
        return max(Moment(min(estimate, 1e18)), now - progressedAt)
    }
}
