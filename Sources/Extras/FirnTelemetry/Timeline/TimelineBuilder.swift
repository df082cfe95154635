import FirnPipeline

extension Timeline {
    /// Builds a timeline. Events may come in any order.
    init(_ events: [PipelineEvent]) {
        var builder = TimelineBuilder()
        let events = events.sorted { $0.time < $1.time }
        builder.timeline.start = events.first?.time ?? .zero
        builder.timeline.finish = events.last?.time ?? .zero
        for event in events { builder.take(event) }
        self = builder.complete()
    }
}

/// A job at one stage.
struct JobPlace: Hashable {
    let job: PipelineEvent.Number
    let stage: PipelineEvent.Stage
}

/// Builds a timeline, event by event, in the order of time.
struct TimelineBuilder {
    /// The timeline, with the times of the first and the last event, at which open requests and stages end.
    var timeline = Timeline()
    private var openRequests: [PipelineEvent.Number: Int] = [:]
    private var openSpans: [JobPlace: Int] = [:]
    private var waiting: [(time: Duration, stage: PipelineEvent.Stage, change: Int)] = []
    private var loaded: [PipelineEvent.Number: Int] = [:]
    private var loadedBytes = 0
    /// The start of the current pause of each paused transfer.
    private var pauseStarts: [PipelineEvent.Number: Duration] = [:]

    mutating func take(_ event: PipelineEvent) {
        switch event.kind {
        case .memoryHit: timeline.memoryHits += 1
        case .taskStarted(let number, let request):
            openRequests[number] = timeline.requests.count
            timeline.requests.append(
                Timeline.Request(
                    number: number, source: request.description, start: event.time, finish: timeline.finish))
        case .taskEnded(let number, let end): endRequest(number, end, event.time)
        case .taskChangedPriority, .taskPaused, .taskResumed, .dataCacheFailed, .isolationUnavailable: break
        case .jobStarted(let start): begin(start, event.time)
        case .jobEnded(let end): finish(end, event.time)
        case .transferResponded(let job):
            change(job) { if $0.responded == nil { $0.responded = event.time } }
        case .transferArrived(let job, let completed, _): arrived(job, completed, event.time)
        case .transferPaused(let job): pauseStarts[job] = event.time
        case .transferReleased: break
        case .transferResumed(let job): endPause(job, event.time)
        case .previewShown(_, let tasks): timeline.previews += tasks
        case .memoryUsed(let decoding, let kept):
            sample(.decodingBytes, decoding, event.time)
            sample(.keptBytes, kept, event.time)
        }
    }

    /// Returns the timeline of all events.
    mutating func complete() -> Timeline {
        for job in pauseStarts.keys { endPause(job, timeline.finish) }
        var queued: [PipelineEvent.Stage: Int] = [:]
        for step in waiting.sorted(by: { ($0.time, -$0.change) < ($1.time, -$1.change) }) {
            queued[step.stage, default: 0] += step.change
            timeline.samples.append(
                Timeline.Sample(
                    time: max(step.time, timeline.start), quantity: .queued(step.stage), value: queued[step.stage] ?? 0)
            )
        }
        timeline.samples.sort { $0.time < $1.time }
        return timeline
    }

    private mutating func endRequest(
        _ number: PipelineEvent.Number, _ end: PipelineEvent.TaskEnd, _ time: Duration
    ) {
        guard let index = openRequests.removeValue(forKey: number) else { return }
        timeline.requests[index].finish = time
        switch end {
        case .image(let cache, let pixels):
            timeline.requests[index].end = .done(cache)
            timeline.requests[index].pixels = pixels
        case .failure(let error):
            timeline.requests[index].end = error.fault == .cancelled ? .cancelled : .failed(error.message)
        }
    }

    private mutating func begin(_ start: PipelineEvent.JobStart, _ time: Duration) {
        // Each transfer gets the first lane that no running one has.
        let usedLanes = openSpans.filter { $0.key.stage == .transfer }.map { timeline.spans[$0.value].lane }
        let lane = start.worker ?? (0...usedLanes.count).first { !usedLanes.contains($0) } ?? usedLanes.count
        openSpans[JobPlace(job: start.job, stage: start.stage)] = timeline.spans.count
        timeline.spans.append(
            Timeline.Span(
                job: start.job, parent: start.parent, stage: start.stage, lane: lane, source: start.request.description,
                requests: start.tasks, waited: start.waited, start: time, finish: timeline.finish))
        guard start.waited > .zero else { return }
        waiting.append((time - start.waited, start.stage, 1))
        waiting.append((time, start.stage, -1))
    }

    private mutating func finish(_ end: PipelineEvent.JobEnd, _ time: Duration) {
        if end.stage == .transfer { endPause(end.job, time) }
        guard let index = openSpans.removeValue(forKey: JobPlace(job: end.job, stage: end.stage)) else { return }
        timeline.spans[index].finish = time
        timeline.spans[index].bytes = end.bytes
        timeline.spans[index].wastedBytes = end.wastedBytes
        timeline.spans[index].pixels = end.pixels
        timeline.spans[index].isFromDisk = end.isFromDisk
        timeline.spans[index].end =
            switch end.outcome {
            case .finished: .done(end.isFromDisk ? .disk : nil)
            case .moved, .suspended: .handedOn
            case .failed(let error): .failed(error.message)
            case .cancelled: .cancelled
            }
        guard end.stage == .transfer else { return }
        arrived(end.job, end.bytes + end.wastedBytes, time)
        loaded[end.job] = nil
    }

    private mutating func arrived(_ job: PipelineEvent.Number, _ completed: Int, _ time: Duration) {
        let fresh = completed - (loaded[job] ?? 0)
        guard fresh > 0 else { return }
        loaded[job] = completed
        loadedBytes += fresh
        sample(.loadedBytes, loadedBytes, time)
    }

    private mutating func sample(_ quantity: Timeline.Sample.Quantity, _ value: Int, _ time: Duration) {
        timeline.samples.append(Timeline.Sample(time: time, quantity: quantity, value: value))
    }

    private mutating func change(_ job: PipelineEvent.Number, _ body: (inout Timeline.Span) -> Void) {
        guard let index = openSpans[JobPlace(job: job, stage: .transfer)] else { return }
        body(&timeline.spans[index])
    }

    private mutating func endPause(_ job: PipelineEvent.Number, _ time: Duration) {
        guard let start = pauseStarts.removeValue(forKey: job) else { return }
        change(job) { $0.pauses.append(start..<max(start, time)) }
    }
}
