/// Delays transfers like a slow line: a latency before the first byte, then a bandwidth that all transfers share.
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
    func waitForLatency() async throws {
        guard latency > .zero else { return }
        try await clock.sleep(for: latency)
    }

    /// Waits until bytes have passed.
    func send(_ count: Int) async throws {
        let now = start.duration(to: .now)
        let through = line.send(count, at: now)
        // A sleep is less exact than this. The line keeps count, so early bytes delay later ones.
        guard through - now > .milliseconds(2) else { return }
        try await clock.sleep(until: start + through)
    }
}
