import Testing

@testable import FirnPipeline

@Suite struct `When a preview is made` {
    @Test func `The first needs a sixteenth of the whole`() {
        let gate = PreviewGate()
        #expect(gate.verdict(received: 0, expected: nil, timeLeft: nil, .init(time: 0, bytes: 0), now: 0) == nil)
        #expect(gate.verdict(received: 1, expected: nil, timeLeft: nil, .init(time: 0, bytes: 0), now: 0) == .open)
        #expect(gate.verdict(received: 99, expected: 1600, timeLeft: nil, .init(time: 0, bytes: 0), now: 0) == nil)
        #expect(gate.verdict(received: 100, expected: 1600, timeLeft: nil, .init(time: 0, bytes: 0), now: 0) == .open)
    }

    @Test func `The next needs as much again, and four times the time of the last`() {
        var gate = PreviewGate()
        gate.tried(received: 400, from: 1000, to: 1100)
        #expect(gate.verdict(received: 499, expected: 1600, timeLeft: nil, .init(time: 0, bytes: 0), now: 9999) == nil)
        #expect(
            gate.verdict(received: 500, expected: 1600, timeLeft: nil, .init(time: 0, bytes: 0), now: 1499)
                == .later(1500))
        #expect(
            gate.verdict(received: 500, expected: 1600, timeLeft: nil, .init(time: 0, bytes: 0), now: 1500) == .open)
    }

    @Test func `A body that began anew is new from its first byte`() {
        var gate = PreviewGate()
        gate.tried(received: 400, from: 0, to: 10)
        #expect(gate.verdict(received: 100, expected: 1600, timeLeft: nil, .init(time: 0, bytes: 0), now: 50) == .open)
    }

    private let threshold = PreviewGate.Threshold(time: 250, bytes: 1000)

    private func verdict(_ timeLeft: Moment?, rest: Int, _ threshold: PreviewGate.Threshold) -> PreviewGate.Verdict? {
        let received = max(1, rest)
        return PreviewGate().verdict(
            received: received, expected: received + rest, timeLeft: timeLeft, threshold, now: 10)
    }

    @Test func `No preview is made if the rest arrives soon, however many bytes it has`() {
        #expect(verdict(249, rest: 1 << 30, threshold) == .later(260))
        #expect(verdict(0, rest: 1 << 30, threshold) == .later(260))
    }

    @Test func `What takes long is worth one, however few bytes it has`() {
        #expect(verdict(250, rest: 1, threshold) == .open)
        #expect(verdict(.max, rest: 0, threshold) == .open)
    }

    @Test func `While the pace is not known the bytes decide`() {
        #expect(verdict(nil, rest: 1000, threshold) == .open)
        #expect(verdict(nil, rest: 999, threshold) == .later(260))
    }

    @Test func `Without a threshold of time every rest will do`() {
        #expect(verdict(0, rest: 0, PreviewGate.Threshold(time: 0, bytes: 1000)) == .open)
    }

    @Test func `A threshold beyond all time is never reached`() {
        #expect(verdict(1, rest: 1, PreviewGate.Threshold(time: .max, bytes: 0)) == .later(.max))
    }

    @Test func `The pipeline's settings are the gate's`() {
        var scheduling = ImagePipeline.Scheduling()
        #expect(PreviewGate.Threshold(scheduling.stageLimits) == .init(time: 250_000_000, bytes: 64 << 10))
        scheduling.previewTimeThreshold = .milliseconds(-3)
        scheduling.previewByteThreshold = 5
        #expect(PreviewGate.Threshold(scheduling.stageLimits) == .init(time: 0, bytes: 5))
    }

    @Test func `Previews take a fifth of the time at most, whatever they cost`() {
        var gate = PreviewGate()
        var (now, busy) = (Moment(0), Moment(0))
        var received = 0
        for turn in 0..<10_000 {
            received += 1000
            now += 10
            guard
                gate.verdict(received: received, expected: 16_000, timeLeft: nil, .init(time: 0, bytes: 0), now: now)
                    == .open
            else { continue }
            let cost = Moment(turn * 7919 % 500)
            gate.tried(received: received, from: now, to: now + cost)
            now += cost
            busy += cost
        }
        #expect(busy > 0)
        // Except for the last preview, whose pause may not have passed yet.
        #expect(Double(busy - 500) <= Double(now) / 5)
    }

    @Test func `Numbers at their ends close it for good`() {
        var gate = PreviewGate()
        gate.tried(received: 1, from: 0, to: .max)
        #expect(
            gate.verdict(received: 100, expected: nil, timeLeft: nil, .init(time: 0, bytes: 0), now: .max - 1)
                == .later(.max))
    }
}
