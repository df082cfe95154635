/// Delays transfers like a slow line: a delay before the first byte, then a limited rate that all share.
actor LineSimulator {
    private let latency: Duration
    private var line: SharedLine
    private let clock = ContinuousClock()
    private let start = ContinuousClock.now

    init(latency: Duration, bitsPerSecond: Int?) {
        self.latency = latency
        line = SharedLine(bitsPerSecond: bitsPerSecond)
    }

    /// Waits for the latency of a request.
    func waitForAnswer() async throws {
        guard latency > .zero else { return }
        try await clock.sleep(for: latency)
    }

    /// Waits until bytes have passed.
    func send(_ count: Int) async throws {
        let now = start.duration(to: .now)
        let through = line.send(count, at: now)
        // A sleep is not exact to less than this; the line keeps count, so what is early now is made up for later.
        guard through - now > .milliseconds(2) else { return }
        try await clock.sleep(until: start + through)
    }
}
