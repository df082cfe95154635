/// A running or paused transfer.
struct TransferEntry {
    let job: Int32
    /// The index in the ``HostRegistry``; -1 if it needs no network.
    let host: Int32
    /// Increases with every start.
    let number: UInt64
    var level: Int
    /// Paused: it has no slot.
    var isHeld = false
    /// True if it was started because it had been passed too often; it is not paused for others.
    var isProtected = false
    /// Stopped; its end has not been reported yet.
    var isStopped = false
    /// Without waiting tasks, but it will end soon.
    var isLingering = false
    /// Paused for so long that its connection was released.
    var isReleased = false
    /// Failed, and waiting for its retry; it is in no list.
    var isWaiting = false
    /// True if it does not read because bodies hold too many bytes. It has a slot.
    var isStalled = false
    /// True if it has taken its token of the ``RateLimiter``, since it was paused.
    var isCharged = false
    /// The time of its next timed change.
    var until: Moment = .max
    /// The time at which its early decodes run again if no bytes arrive.
    var lookAt: Moment = .max

    private var askedAt: Moment
    private(set) var hasResponded = false
    private var progressedAt: Moment = 0
    private(set) var received = 0
    private var expected: Int?
    /// True if the bytes that follow are not reported: they are expected to arrive at the same rate.
    private var isQuiet = false
    /// Time and bytes of its progress; older progress has less weight.
    private var seenTime = 0.0
    private var seenBytes = 0.0

    /// The bytes that its body may come to hold. While the length is unknown, twice those that have arrived.
    var claim: Int { max(received, expected ?? max(HostRegistry.startCost, received + min(received, 1 << 40))) }

    /// True if it can stop or start to read.
    var isReading: Bool { !isHeld && !isStopped && hasResponded }

    /// True if it may be paused for others.
    var isPausable: Bool { !isHeld && host >= 0 && !isProtected && !isLingering && !isStopped }

    init(job: Int32, host: Int32, number: UInt64, level: Int, now: Moment) {
        self.job = job
        self.host = host
        self.number = number
        self.level = level
        askedAt = now
    }

    /// Records that the source has responded.
    ///
    /// - Returns: the time to the first byte; `nil` if it was already known.
    mutating func responded(now: Moment) -> Moment? {
        guard !hasResponded else { return nil }
        hasResponded = true
        progressedAt = now
        return max(0, now - askedAt)
    }

    mutating func began(with received: Int, expected: Int?) {
        self.received = received
        self.expected = expected
    }

    mutating func progressed(received: Int, expected: Int?, isQuiet: Bool = false, now: Moment) {
        self.isQuiet = isQuiet
        seenTime = seenTime * 0.75 + Double(max(0, now - progressedAt))
        seenBytes = seenBytes * 0.75 + Double(max(0, received - self.received))
        self.received = received
        self.expected = expected
        progressedAt = now
        lookAt = .max
    }

    mutating func resumed(now: Moment) {
        isHeld = false
        until = .max
        progressedAt = now
        if isReleased {
            isReleased = false
            hasResponded = false
            askedAt = now
        }
    }

    /// Returns whether its rest takes less time than the host's time to first byte.
    func isNearlyDone(_ hosts: HostRegistry, now: Moment) -> Bool {
        guard host >= 0, let remaining = remaining(now: now) else { return false }
        return remaining < hosts[host].timeToFirstByte
    }

    /// The expected time to the end, from the missing bytes and the rate so far, but at least the time since the last
    /// byte arrived; `nil` if the length is unknown.
    func remaining(now: Moment) -> Moment? { expected == nil ? nil : timeLeft(now: now) }

    /// The same, but a body of unknown length is expected to need as much again as so far.
    func timeLeft(now: Moment) -> Moment? {
        guard seenBytes > 0 else { return nil }
        let rest = expected.map { max(0, $0 - received) } ?? received
        let estimate = Moment(min(Double(rest) * seenTime / seenBytes, 1e18))
        let silence = now - progressedAt
        return isQuiet && silence < estimate ? estimate - silence : max(estimate, silence)
    }
}
