/// A connection with a latency, and a bandwidth that its transfers share; senders start slowly, as in TCP.
///
/// A fluid model: between two events each flow has a constant rate. Flows that are limited by their windows leave
/// bandwidth, which the others share equally (max-min fairness). A window grows by each byte that arrives (slow
/// start, RFC 5681 §3.1) up to `largestWindow`.
final class Link {
    /// Bytes per nanosecond.
    let capacity: Double
    let roundTrip: Moment
    let chunk: Double
    private(set) var flows: [Flow] = []
    /// The windows of open connections that are idle.
    var idle: [Double] = []
    /// The number of the latest schedule; earlier schedules are invalid.
    var version = 0
    private var time: Moment = 0

    static let firstWindow = 14_600.0
    static let largestWindow = 262_144.0

    init(bitsPerSecond: Double, roundTrip: Moment, chunk: Int) {
        capacity = bitsPerSecond / 8 / 1e9
        self.roundTrip = roundTrip
        self.chunk = Double(chunk)
    }

    func add(_ flow: Flow) {
        flow.mark = min(flow.end, flow.delivered + min(chunk, flow.window))
        flows.append(flow)
    }

    func remove(_ flow: Flow) { flows.removeAll { $0 === flow } }

    /// Delivers the bytes that have arrived by `now`.
    func advance(to now: Moment) {
        let elapsed = Double(now - time)
        time = now
        guard elapsed > 0 else { return }
        for flow in flows where flow.isActive {
            let bytes = min(flow.end - flow.delivered, flow.rate * elapsed)
            flow.delivered += bytes
            // Rounding loses the last fraction of a byte.
            if flow.end - flow.delivered < 0.5 { flow.delivered = flow.end }
            flow.window = min(Link.largestWindow, flow.window + bytes)
        }
    }

    /// Returns the flows that have reached their mark or their end.
    func due() -> [Flow] {
        flows.filter { !$0.isBlocked && ($0.delivered >= $0.mark - 0.5 || $0.delivered >= $0.end) && $0.mark >= 0 }
    }

    /// Sets the next mark of a flow; there is none past its end.
    func markNext(_ flow: Flow) {
        flow.mark = flow.delivered >= flow.end ? -1 : min(flow.end, flow.delivered + min(chunk, flow.window))
    }

    /// Recomputes the share of each flow.
    ///
    /// - Returns: when the next mark is reached.
    func share() -> Moment? {
        version += 1
        var left = capacity
        var open = 0
        for flow in flows where flow.isActive {
            flow.rate = -1
            open += 1
        }
        var isSettled = false
        while open > 0, !isSettled {
            isSettled = true
            let fair = left / Double(open)
            for flow in flows where flow.isActive && flow.rate < 0 && flow.window / Double(roundTrip) < fair {
                flow.rate = flow.window / Double(roundTrip)
                left -= flow.rate
                open -= 1
                isSettled = false
            }
            if isSettled { for flow in flows where flow.isActive && flow.rate < 0 { flow.rate = fair } }
        }
        // Bytes that came with another flow's event are still to be read.
        if flows.contains(where: { !$0.isBlocked && $0.delivered >= $0.mark && $0.mark >= 0 }) { return time }
        var next = Double.infinity
        for flow in flows where flow.isActive {
            next = min(next, max(0, flow.mark - flow.delivered) / flow.rate)
        }
        return next.isFinite ? time + Moment(next) + 1 : nil
    }
}
