import FirnTesting
import Testing

@testable import FirnPipeline
@testable import FirnTelemetry

@Suite(.timeLimit(.minutes(5))) struct `A timeline` {
    private func entries(_ events: [PipelineEvent]) -> [TraceEntry] {
        TraceFile(events, showsQueries: false).traceEvents
    }

    @Test func `Says how every request ended, and what worked for it`() async throws {
        let entries = entries(try await MadeUpEvents.record())
        let requests = entries.filter { $0.ph == "b" }.sorted { ($0.id ?? 0) < ($1.id ?? 0) }
        try #require(requests.count == 3)
        #expect(requests[0].args?["end"] == .text("done") && requests[0].args?["pixels"] == .number(1200))
        if case .text(let message)? = requests[1].args?["end"] {
            #expect(message.hasPrefix("failed: ") && message.contains("no response"))
        } else {
            Issue.record("\(requests[1])")
        }
        #expect(requests[2].args?["end"] == .text("cancelled"))
        let number = try #require(requests[0].id)
        let own = entries.filter { $0.cat == "stage" && $0.args?["requests"] == .text("\(number)") }
            .sorted { $0.ts < $1.ts }
        try #require(own.map(\.name) == ["transfer", "decode"])
        #expect(own[1].args?["of job"] == own[0].args?["job"] && own[1].args?["pixels"] == .number(1200))
        #expect(own[0].args?["bytes"] != nil)
        let end = try #require(entries.first { $0.ph == "e" && $0.id == number })
        #expect(own.allSatisfy { $0.ts >= requests[0].ts && $0.ts + ($0.dur ?? 0) <= end.ts + 0.001 })
    }

    @Test func `Is the same whatever the order in which events came`() async throws {
        let events = try await MadeUpEvents.record()
        var shuffled = events
        var random = SeededGenerator(seed: 7)
        shuffled.shuffle(using: &random)
        // Events with equal times keep their order, so only different times can be compared.
        let times = Set(events.map(\.time))
        try #require(times.count > 8)
        let (a, b) = (entries(events), entries(shuffled))
        for kind in ["b", "e"] {
            #expect(a.filter { $0.ph == kind }.map(\.ts).sorted() == b.filter { $0.ph == kind }.map(\.ts).sorted())
        }
    }

    @Test func `The pauses of a transfer are intervals, and an open one ends with the events`() {
        let request = ImageRequest(url: "https://a/x")
        let kinds: [PipelineEvent.Kind] = [
            .jobStarted(
                .init(
                    job: 1, parent: nil, stage: .transfer, worker: nil, request: request, priority: .normal,
                    waited: .zero, waiting: [1])),
            .transferPaused(1), .transferResumed(1), .transferPaused(1), .memoryHit(request),
        ]
        let entries = entries(
            kinds.enumerated().map { PipelineEvent(time: .seconds($0.offset) + .nanoseconds(1), kind: $0.element) })
        let pauses = entries.filter { $0.name == "paused" }
        #expect(pauses.map(\.ts) == [1e6, 3e6] && pauses.map(\.dur) == [1e6, 1e6])
    }

    @Test func `Gives transfers lanes of their own, the first that is free`() {
        var time: Int64 = 0
        func event(_ kind: PipelineEvent.Kind) -> PipelineEvent {
            time += 1_000_000
            return PipelineEvent(time: .nanoseconds(time), kind: kind)
        }
        let request = ImageRequest(url: "https://a/x")
        func start(_ job: UInt32) -> PipelineEvent {
            event(
                .jobStarted(
                    .init(
                        job: job, parent: nil, stage: .transfer, worker: nil, request: request, priority: .normal,
                        waited: .nanoseconds(500_000), waiting: [job])))
        }
        func end(_ job: UInt32) -> PipelineEvent {
            event(
                .jobEnded(
                    .init(
                        job: job, stage: .transfer, outcome: .finished, request: request, duration: .nanoseconds(1),
                        bytes: 10,
                        wastedBytes: 1, pixels: 0, isFromDisk: false)))
        }
        let entries = entries([start(1), start(2), end(1), start(3), start(4), end(2), end(3)])
        let spans = entries.filter { $0.name == "transfer" }.sorted { $0.ts < $1.ts }
        #expect(spans.map(\.tid) == [2001, 2002, 2001, 2003])
        #expect(spans.last?.args?["end"] == .text("not over") && spans.last?.dur == 2000)
        let queued = entries.filter { $0.name == "waiting: transfer" }.map { $0.args?["jobs"] }
        #expect(queued == [1, 0, 1, 0, 1, 0, 1, 0].map { .number($0) })
        // 33 bytes in a tenth of a second.
        let rates = entries.filter { $0.name == "Mbit/s" }.map { $0.args?["loaded"] }
        #expect(rates == [.number(33.0 * 8 / 0.1 / 1e6), .number(0)])
    }

    @Test func `A full recorder drops events and counts them`() {
        let recorder = TimelineRecorder(capacity: 2)
        for time in 0..<5 {
            recorder.pipeline(
                didObserve: PipelineEvent(time: .nanoseconds(time), kind: .memoryHit(ImageRequest(url: "a"))))
        }
        #expect(recorder.omittedCount == 3 && recorder.events.count == 2)
        recorder.removeAll()
        #expect(recorder.omittedCount == 0 && recorder.events.isEmpty)
    }
}
