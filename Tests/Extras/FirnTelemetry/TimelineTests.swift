import FirnTesting
import Testing

@testable import FirnPipeline
@testable import FirnTelemetry

@Suite(.timeLimit(.minutes(5))) struct `A timeline` {
    @Test func `Says how every request ended, and what worked for it`() async throws {
        let timeline = Timeline(try await MadeUpEvents.record())
        #expect(timeline.memoryHits == 1)
        try #require(timeline.requests.count == 3)
        #expect(timeline.requests[0].end == .done(nil) && timeline.requests[0].pixels == 1200)
        if case .failed(let message) = timeline.requests[1].end {
            #expect(message.contains("no response"))
        } else {
            Issue.record("\(timeline.requests[1].end)")
        }
        #expect(timeline.requests[2].end == .cancelled)
        let own = timeline.spans.filter { $0.requests.contains(timeline.requests[0].number) }
        #expect(own.map(\.stage) == [.transfer, .decode])
        #expect(own[1].parent == own[0].job && own[1].pixels == 1200 && own[0].bytes > 0)
        #expect(own.allSatisfy { $0.start >= timeline.requests[0].start && $0.finish <= timeline.requests[0].finish })
    }

    @Test func `Is the same whatever the order in which events came`() async throws {
        let events = try await MadeUpEvents.record()
        var shuffled = events
        var random = SeededGenerator(seed: 7)
        shuffled.shuffle(using: &random)
        // Events with equal times keep their order, so only different times can be compared.
        let times = Set(events.map(\.time))
        try #require(times.count > 8)
        let (a, b) = (Timeline(events), Timeline(shuffled))
        #expect(a.requests.map(\.start) == b.requests.map(\.start))
        #expect(a.start == b.start && a.finish == b.finish)
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
        let timeline = Timeline(
            kinds.enumerated().map { PipelineEvent(time: .seconds($0.offset) + .nanoseconds(1), kind: $0.element) })
        let expected = [(1, 2), (3, 4)].map { first, last in
            Duration.seconds(first) + .nanoseconds(1)..<Duration.seconds(last) + .nanoseconds(1)
        }
        #expect(timeline.spans.map(\.pauses) == [expected])
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
        let timeline = Timeline([start(1), start(2), end(1), start(3), start(4), end(2), end(3)])
        #expect(timeline.spans.map(\.lane) == [0, 1, 0, 2])
        #expect(timeline.spans.last?.end == .open && timeline.spans.last?.finish == timeline.finish)
        let queued = timeline.samples.filter { $0.quantity == .queued(.transfer) }.map(\.value)
        #expect(queued == [1, 0, 1, 0, 1, 0, 1, 0])
        let loaded = timeline.samples.filter { $0.quantity == .loadedBytes }.map(\.value)
        #expect(loaded == [11, 22, 33])
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
