/// When a preview is worth making: there is enough to see that was not there before, and what previews cost stays small
/// beside what the picture costs. Times are given to it; it reads no clock.
///
/// Invariant: between the end of one preview and the beginning of the next lies at least ``rest`` times what the first
/// cost. So previews take a fifth of a core at most, however slow the processors or the decoder.
struct PreviewGate: Equatable {
    /// How long to rest after a preview, in multiples of what it took.
    static let rest: Int64 = 4
    /// The part of the whole that has to be new.
    static let part = 16

    private var received = 0
    private var earliest = Moment.min

    /// Whether to try a preview of the bytes there are.
    func isOpen(received: Int, expected: Int?, now: Moment) -> Bool {
        guard now >= earliest else { return false }
        // Less than before: another body.
        let new = received < self.received ? received : received - self.received
        return new >= max(1, (expected ?? 0) / PreviewGate.part)
    }

    /// A preview was tried; whether there was something new to show or not, it took its time.
    mutating func tried(received: Int, from start: Moment, to end: Moment) {
        self.received = received
        let (rest, tooLong) = max(0, end &- start).multipliedReportingOverflow(by: PreviewGate.rest)
        let (next, tooLate) = end.addingReportingOverflow(rest)
        earliest = tooLong || tooLate ? .max : next
    }
}
