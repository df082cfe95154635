import FirnSync

/// Decides when to make a preview: if there is enough new content, if the rest takes long enough for the preview to
/// be seen, and if previews cost little compared with the image. The time is a parameter; it reads no clock.
///
/// Invariant: the time between the end of one preview and the start of the next is at least ``rest`` times the time
/// that the first one took. So previews use at most a fifth of a core, however slow the processors or the decoder
/// are.
struct PreviewGate: Equatable {
    /// The minimum pause after a preview, in multiples of the time that it took.
    static let rest: Int64 = 4
    /// The minimum share of new bytes is 1 / `part` of the whole.
    static let part = 16

    /// The minimum rest of a body that is worth a preview.
    struct Threshold: Equatable {
        /// The minimum time that the rest takes, in nanoseconds; 0 for no minimum.
        var time: Moment
        /// The minimum number of remaining bytes if the rate is unknown.
        var bytes: Int
    }

    enum Verdict: Equatable {
        case open
        /// Not now, but at this moment if no bytes arrive until then.
        case later(Moment)
    }

    private var received = 0
    private var earliest = Moment.min

    /// Returns when a preview may be made: now, or later if no bytes arrive until then; `nil` if there are too few new
    /// bytes.
    ///
    /// - Parameter timeLeft: the time that the rest will take; `nil` while the rate is unknown.
    func verdict(
        received: Int, expected: Int?, timeLeft: Moment?, _ threshold: Threshold, now: Moment
    ) -> Verdict? {
        // Fewer bytes than before: another body.
        let new = received < self.received ? received : received - self.received
        guard new >= max(1, (expected ?? 0) / PreviewGate.part) else { return nil }
        if now < earliest { return .later(earliest) }
        if threshold.time <= 0 { return .open }
        if let timeLeft, timeLeft >= threshold.time { return .open }
        // A body of unknown length is expected to need as much again.
        let rest = expected.map { max(0, $0 - received) } ?? received
        if timeLeft == nil, rest >= threshold.bytes { return .open }
        // If no bytes arrive for this time, a preview is worth it, whatever the rate was before.
        return .later(now.saturatingAdd(threshold.time))
    }

    /// Notes an attempt to make a preview. It took time even if there was no new content.
    mutating func tried(received: Int, from start: Moment, to end: Moment) {
        self.received = received
        earliest = end.saturatingAdd(max(0, end &- start).saturatingMultiply(PreviewGate.rest))
    }
}

extension PreviewGate.Threshold {
    init(_ limits: StageLimits) { self.init(time: limits.previewTime, bytes: limits.minimumEarlyBytes) }
}
