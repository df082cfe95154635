/// When a preview is worth making: there is enough to see that was not there before, the rest takes long enough for the
/// preview to be seen, and previews cost little beside the image. The gate is given the time; it reads no clock.
///
/// Invariant: between the end of one preview and the beginning of the next lies at least ``rest`` times what the first
/// cost. So previews take a fifth of a core at most, however slow the processors or the decoder.
struct PreviewGate: Equatable {
    /// How long to rest after a preview, in multiples of what it took.
    static let rest: Int64 = 4
    /// The part of the whole that has to be new.
    static let part = 16

    /// From when on the rest of a body is worth a preview.
    struct Threshold: Equatable {
        /// The rest takes at least this long, in nanoseconds; 0 if any time will do.
        var time: Moment
        /// Where the pace is not known, the rest has at least so many bytes.
        var bytes: Int

        init(time: Moment, bytes: Int) {
            self.time = time
            self.bytes = bytes
        }

        init(_ limits: StageLimits) { self.init(time: limits.previewTime, bytes: limits.leastEarlyBytes) }
    }

    /// Whether the rest of a body is worth a preview.
    enum Verdict: Equatable {
        case open
        /// Not now, but at this moment if no bytes come until then.
        case later(Moment)
    }

    private var received = 0
    private var earliest = Moment.min

    /// Whether the bytes there are have something new to show.
    func isOpen(received: Int, expected: Int?, now: Moment) -> Bool {
        guard now >= earliest else { return false }
        // Less than before: another body.
        let new = received < self.received ? received : received - self.received
        return new >= max(1, (expected ?? 0) / PreviewGate.part)
    }

    /// Whether what is still to come takes long enough.
    ///
    /// - Parameters:
    ///   - timeLeft: how long the rest will take; `nil` while the pace is not known.
    ///   - rest: bytes still to come, as far as that is known.
    static func verdict(timeLeft: Moment?, rest: Int, _ threshold: Threshold, now: Moment) -> Verdict {
        if threshold.time <= 0 { return .open }
        if let timeLeft, timeLeft >= threshold.time { return .open }
        if timeLeft == nil, rest >= threshold.bytes { return .open }
        // Silence for as long as the threshold makes it worth a preview, whatever the pace was before.
        let (moment, isTooLate) = now.addingReportingOverflow(threshold.time)
        return .later(isTooLate ? .max : moment)
    }

    /// A preview was tried; whether there was something new to show or not, it took its time.
    mutating func tried(received: Int, from start: Moment, to end: Moment) {
        self.received = received
        let (rest, tooLong) = max(0, end &- start).multipliedReportingOverflow(by: PreviewGate.rest)
        let (next, tooLate) = end.addingReportingOverflow(rest)
        earliest = tooLong || tooLate ? .max : next
    }
}
