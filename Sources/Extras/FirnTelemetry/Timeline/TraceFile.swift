import FirnSync
public import FoundationEssentials

/// The activity of a pipeline as a trace; see ``TimelineRecorder/trace(showsQueries:)``.
///
/// Format: the JSON object of the Trace Event Format (Google, 2016).
struct TraceFile: Encodable {
    private(set) var traceEvents: [TraceEntry]
    private let displayTimeUnit = "ms"

    /// - Parameter events: the events of a pipeline, in any order.
    init(_ events: [PipelineEvent], showsQueries: Bool) {
        let events = events.sorted { $0.time < $1.time }
        var builder = TraceBuilder(
            start: events.first?.time ?? .zero, finish: events.last?.time ?? .zero,
            redaction: AddressRedaction(showsQueries: showsQueries))
        for event in events { builder.take(event) }
        builder.complete()
        traceEvents = builder.entries
    }
}

/// A job at one stage.
struct JobPlace: Hashable {
    let job: PipelineEvent.Number
    let stage: PipelineEvent.Stage
}

/// Builds the entries of a trace, event by event, in the order of time.
private struct TraceBuilder {
    /// A job that works at a stage.
    private struct Span {
        let start: PipelineEvent.JobStart
        let time: Duration
        /// The number of the worker, or for transfers the first free number, from 0.
        let number: Int
        /// The time of the source's response.
        var responded: Duration?

        var lane: Int {
            let stage = PipelineEvent.Stage.allCases.firstIndex(of: start.stage) ?? 0
            return (stage + 1) * 1000 + min(number, 998) + 1
        }
    }

    private static let requestLane = 1
    /// The time over which bandwidth is averaged.
    private static let window = Duration.milliseconds(100)

    /// The times of the first and the last event. Open requests and stages end at the last one.
    let start: Duration
    let finish: Duration
    let redaction: AddressRedaction
    private(set) var entries = [
        TraceEntry(name: "process_name", ph: "M", tid: 0, args: ["name": .text("Firn")]),
        TraceEntry(name: "thread_name", ph: "M", tid: requestLane, args: ["name": .text("requests")]),
    ]
    private var requests: [PipelineEvent.Number: (source: String, time: Duration)] = [:]
    private var spans: [JobPlace: Span] = [:]
    private var lanes: Set<Int> = []
    /// The arrows to the stages of each request.
    private var arrows: [PipelineEvent.Number: [TraceEntry]] = [:]
    private var waiting: [(time: Duration, stage: PipelineEvent.Stage, change: Int)] = []
    /// The arrived bytes of each running transfer, and of all transfers by window.
    private var arrived: [PipelineEvent.Number: Int] = [:]
    private var bandwidth: [Int: Int] = [:]
    /// The start of the current pause of each paused transfer.
    private var pauses: [PipelineEvent.Number: Duration] = [:]

    init(start: Duration, finish: Duration, redaction: AddressRedaction) {
        self.start = start
        self.finish = finish
        self.redaction = redaction
    }

    mutating func take(_ event: PipelineEvent) {
        switch event.kind {
        case .taskStarted(let number, let request): requests[number] = (request.description, event.time)
        case .taskEnded(let number, .image(let cache, let pixels)):
            end(number, event.time, cache.map { "from \($0.rawValue)" } ?? "done", pixels: pixels)
        case .taskEnded(let number, .failure(let error)):
            end(number, event.time, error.fault == .cancelled ? "cancelled" : failure(error))
        case .jobStarted(let start): begin(start, event.time)
        case .jobEnded(let end): self.end(end, event.time)
        case .transferResponded(let job):
            let place = JobPlace(job: job, stage: .transfer)
            if spans[place]?.responded == nil { spans[place]?.responded = event.time }
        case .transferArrived(let job, let completed, _): add(completed, of: job, event.time)
        case .transferPaused(let job): pauses[job] = event.time
        case .transferResumed(let job): endPause(job, event.time)
        case .memoryUsed(let decoding, let kept):
            count("memory in bytes", event.time, ["decodes": .number(decoding), "caches": .number(kept)])
        case .memoryHit, .taskChangedPriority, .taskPaused, .taskResumed, .transferReleased, .previewShown,
            .dataCacheFailed, .isolationUnavailable:
            break
        }
    }

    /// Ends open requests and stages, and adds what follows from all events.
    mutating func complete() {
        for job in pauses.keys { endPause(job, finish) }
        for span in spans.values { add(span, finish, "not over", nil) }
        for number in requests.keys { end(number, finish, "not over") }
        for (_, steps) in arrows.sorted(by: { $0.key < $1.key }) {
            entries += steps
            entries[entries.count - 1].ph = "f"
        }
        var queued: [PipelineEvent.Stage: Int] = [:]
        for step in waiting.sorted(by: { ($0.time, -$0.change) < ($1.time, -$1.change) }) {
            let jobs = queued[step.stage, default: 0] + step.change
            queued[step.stage] = jobs
            count("waiting: \(step.stage)", max(step.time, start), ["jobs": .number(jobs)])
        }
        guard let last = bandwidth.keys.max() else { return }
        for window in 0...(last + 1) {
            let rate = Double(bandwidth[window] ?? 0) * 8 / (TraceBuilder.window / .seconds(1)) / 1e6
            count("Mbit/s", start + TraceBuilder.window * window, ["loaded": .number(rate)])
        }
    }

    private mutating func end(_ request: PipelineEvent.Number, _ time: Duration, _ word: String, pixels: Int = 0) {
        guard let (source, begin) = requests.removeValue(forKey: request) else { return }
        let facts: [String: TraceEntry.Value] = [
            "source": .text(redaction.address(source)), "end": .text(word), "pixels": .number(pixels),
        ]
        let (name, id, lane, begun) = ("request \(request)", Int(request), TraceBuilder.requestLane, moment(begin))
        entries += [
            TraceEntry(name: name, ph: "b", ts: begun, tid: lane, cat: "request", id: id, args: facts),
            TraceEntry(name: name, ph: "e", ts: moment(time), tid: lane, cat: "request", id: id),
            // A slice for the start of the arrow.
            TraceEntry(name: "asked", ph: "X", ts: begun, dur: 1, tid: lane, cat: "request", args: facts),
            TraceEntry(name: "way", ph: "s", ts: begun, tid: lane, cat: "way", id: id),
        ]
    }

    private mutating func begin(_ start: PipelineEvent.JobStart, _ time: Duration) {
        // Each transfer gets the first number that no running one has.
        let used = spans.values.filter { $0.start.stage == .transfer }.map(\.number)
        let number = start.worker ?? (0...used.count).first { !used.contains($0) } ?? used.count
        let span = Span(start: start, time: time, number: number)
        spans[JobPlace(job: start.job, stage: start.stage)] = span
        if lanes.insert(span.lane).inserted {
            let name = start.stage == .transfer ? "transfer \(number)" : "\(start.stage) · worker \(number)"
            entries += [
                TraceEntry(name: "thread_name", ph: "M", tid: span.lane, args: ["name": .text(name)]),
                TraceEntry(
                    name: "thread_sort_index", ph: "M", tid: span.lane, args: ["sort_index": .number(span.lane)]),
            ]
        }
        for request in start.tasks {
            arrows[request, default: []].append(
                TraceEntry(
                    name: "way", ph: "t", ts: moment(time), tid: span.lane, cat: "way", id: Int(request), bp: "e"))
        }
        guard start.waited > .zero else { return }
        waiting += [(time - start.waited, start.stage, 1), (time, start.stage, -1)]
    }

    private mutating func end(_ end: PipelineEvent.JobEnd, _ time: Duration) {
        if end.stage == .transfer { endPause(end.job, time) }
        guard let span = spans.removeValue(forKey: JobPlace(job: end.job, stage: end.stage)) else { return }
        let word =
            switch end.outcome {
            case .finished: end.isFromDisk ? "from disk" : "done"
            // The result is elsewhere, or it waits for bytes or memory.
            case .moved, .suspended: "goes on"
            case .failed(let error): failure(error)
            case .cancelled: "cancelled"
            }
        add(span, time, word, end)
        guard end.stage == .transfer else { return }
        add(end.bytes + end.wastedBytes, of: end.job, time)
        arrived[end.job] = nil
    }

    private mutating func add(_ span: Span, _ finish: Duration, _ word: String, _ end: PipelineEvent.JobEnd?) {
        func positive(_ number: Int?) -> TraceEntry.Value? { number.flatMap { $0 > 0 ? .number($0) : nil } }
        let start = span.start
        let facts: [String: TraceEntry.Value?] = [
            "source": .text(redaction.address(start.request.description)), "job": .number(start.job),
            "end": .text(word), "requests": .text(start.tasks.map(String.init).joined(separator: " ")),
            "waited ms": .number(start.waited / .milliseconds(1)), "of job": start.parent.map { .number($0) },
            "bytes": positive(end?.bytes), "wasted bytes": positive(end?.wastedBytes), "pixels": positive(end?.pixels),
            "first byte after ms": span.responded.map { .number(($0 - span.time) / .milliseconds(1)) },
        ]
        slice("\(start.stage)", span, span.time, finish, facts.compactMapValues(\.self))
    }

    private mutating func slice(
        _ name: String, _ span: Span, _ first: Duration, _ last: Duration, _ facts: [String: TraceEntry.Value]? = nil
    ) {
        let length = max(.zero, last - first) / .microseconds(1)
        entries.append(
            TraceEntry(
                name: name, ph: "X", ts: moment(first), dur: length, tid: span.lane, cat: "stage", args: facts))
    }

    private mutating func add(_ completed: Int, of job: PipelineEvent.Number, _ time: Duration) {
        let fresh = completed - arrived[job, default: 0]
        guard fresh > 0 else { return }
        arrived[job] = completed
        bandwidth[Int((time - start) / TraceBuilder.window), default: 0] += fresh
    }

    private mutating func endPause(_ job: PipelineEvent.Number, _ time: Duration) {
        guard let begin = pauses.removeValue(forKey: job), let span = spans[JobPlace(job: job, stage: .transfer)]
        else { return }
        slice("paused", span, begin, time)
    }

    private mutating func count(_ name: String, _ time: Duration, _ values: [String: TraceEntry.Value]) {
        entries.append(TraceEntry(name: name, ph: "C", ts: moment(time), tid: 0, args: values))
    }

    private func moment(_ time: Duration) -> Double { (time - start) / .microseconds(1) }

    private func failure(_ error: ImageLoadingError) -> String { "failed: \(redaction.text(error.message))" }
}

/// An event in the Trace Event Format, with the names of its keys.
struct TraceEntry: Encodable {
    enum Value: Encodable, Equatable {
        case number(Double)
        case text(String)

        static func number(_ number: some BinaryInteger) -> Self { .number(Double(number)) }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .number(let number): try number.encode(to: encoder)
            case .text(let text): try text.encode(to: encoder)
            }
        }
    }

    let name: String
    /// The kind: `X` a slice, `b`/`e` the start and end of an interval outside the lanes, `s`/`t`/`f` start, middle and
    /// end of an arrow, `C` a counter, `i` an instant, `M` a name.
    var ph: String
    /// The time in microseconds.
    var ts: Double = 0
    var dur: Double?
    let pid = 1
    var tid: Int
    var cat: String?
    var id: Int?
    /// For arrows: they end at the surrounding slice.
    var bp: String?
    var args: [String: Value]?
}

/// Records the events of a pipeline, and writes them as a trace.
///
/// Bounded: a full recorder drops events and counts them, so a program can leave it on.
public final class TimelineRecorder: PipelineObserver {
    private struct State {
        var events: [PipelineEvent] = []
        var omitted = 0
    }

    private let state = Locked(State())
    /// The maximum number of events.
    public let capacity: Int

    /// Creates a recorder of at most this many events. Default: 400,000, which is about 40,000 requests and 100 MB.
    public init(capacity: Int = 400_000) { self.capacity = max(0, capacity) }

    /// Records an event.
    public func pipeline(didObserve event: PipelineEvent) {
        state.withLock { state in
            guard state.events.count < capacity else {
                state.omitted += 1
                return
            }
            state.events.append(event)
        }
    }

    /// The number of events that were dropped because the recorder was full.
    public var omittedCount: Int { state.withLock { $0.omitted } }

    /// The events so far.
    public var events: [PipelineEvent] { state.withLock { $0.events } }

    /// Returns the events as a trace file for Perfetto and `chrome://tracing`: a lane for each stage and worker, arrows
    /// that connect the stages of each request, counters for memory, queues and bandwidth.
    ///
    /// - Parameter showsQueries: whether addresses are written unchanged. Default: no; user names, passwords and
    ///   secrets in queries are removed.
    /// - Throws: the error of the JSON encoder.
    public func trace(showsQueries: Bool = false) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(TraceFile(events, showsQueries: showsQueries))
    }

    /// Removes all events.
    public func removeAll() {
        // Order: the events are released without the lock.
        _ = state.withLock { state in
            defer { state = State() }
            return state.events
        }
    }
}
