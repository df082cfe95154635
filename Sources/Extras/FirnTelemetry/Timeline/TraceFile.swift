import FirnData
import FirnPipeline
import FoundationEssentials

/// The activity of a pipeline as a trace; see ``TimelineRecorder/trace(showsQueries:)``.
///
/// Format: the JSON object of the Trace Event Format (Google, 2016).
struct TraceFile {
    private let timeline: Timeline
    private let redaction: AddressRedaction
    /// The time over which bandwidth is averaged.
    private static let window = Duration.milliseconds(100)

    /// - Parameter events: the events of a pipeline, in any order.
    init(_ events: [PipelineEvent], showsQueries: Bool) {
        timeline = Timeline(events)
        redaction = AddressRedaction(showsQueries: showsQueries)
    }

    /// Returns the file's content.
    ///
    /// - Throws: the error of the JSON encoder.
    func data() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(Content(traceEvents: entries()))
    }

    private struct Content: Encodable {
        let traceEvents: [TraceEntry]
        let displayTimeUnit = "ms"
    }

    func entries() -> [TraceEntry] {
        var entries = [
            TraceEntry(name: "process_name", ph: "M", tid: 0, args: ["name": .text("Firn")]),
            TraceEntry(name: "thread_name", ph: "M", tid: TraceFile.requestLane, args: ["name": .text("requests")]),
        ]
        entries += laneNames()
        for request in timeline.requests { entries += slices(of: request) }
        var last: [PipelineEvent.Number: Int] = [:]
        for (index, span) in timeline.spans.enumerated() {
            for request in span.requests { last[request] = index }
        }
        for (index, span) in timeline.spans.enumerated() {
            entries += slices(of: span)
            entries += span.requests.map { arrow(to: span, of: $0, isLast: last[$0] == index) }
        }
        return entries + counters()
    }

    // MARK: Lanes

    private static let requestLane = 1

    private func lane(_ span: Timeline.Span) -> Int {
        let stage = PipelineEvent.Stage.allCases.firstIndex(of: span.stage) ?? 0
        return (stage + 1) * 1000 + min(span.lane, 998) + 1
    }

    private func laneNames() -> [TraceEntry] {
        var lanes: [Int: Timeline.Span] = [:]
        for span in timeline.spans where lanes[lane(span)] == nil { lanes[lane(span)] = span }
        return lanes.sorted { $0.key < $1.key }.flatMap { number, span in
            let name =
                span.stage == .transfer ? "transfer \(span.lane)" : "\(span.stage.rawValue) · worker \(span.lane)"
            return [
                TraceEntry(name: "thread_name", ph: "M", tid: number, args: ["name": .text(name)]),
                TraceEntry(name: "thread_sort_index", ph: "M", tid: number, args: ["sort_index": .number(number)]),
            ]
        }
    }

    // MARK: Slices

    private func slices(of request: Timeline.Request) -> [TraceEntry] {
        let number = Int(request.number)
        let facts: [String: TraceEntry.Value] = [
            "source": .text(redaction.address(request.source)), "end": .text(word(request.end)),
            "pixels": .number(request.pixels),
        ]
        let name = "request \(request.number)"
        let (start, finish, lane) = (time(request.start), time(request.finish), TraceFile.requestLane)
        return [
            TraceEntry(name: name, ph: "b", ts: start, tid: lane, cat: "request", id: number, args: facts),
            TraceEntry(name: name, ph: "e", ts: finish, tid: lane, cat: "request", id: number),
            // A slice for the start of the arrow.
            TraceEntry(name: "asked", ph: "X", ts: start, dur: 1, tid: lane, cat: "request", args: facts),
            TraceEntry(name: "way", ph: "s", ts: start, tid: lane, cat: "way", id: number),
        ]
    }

    private func slices(of span: Timeline.Span) -> [TraceEntry] {
        func positive(_ number: Int) -> TraceEntry.Value? { number > 0 ? .number(number) : nil }
        let facts: [String: TraceEntry.Value?] = [
            "source": .text(redaction.address(span.source)), "job": .number(Int(span.job)),
            "end": .text(word(span.end)), "requests": .text(span.requests.map(String.init).joined(separator: " ")),
            "waited ms": .time(span.waited / .milliseconds(1)), "of job": span.parent.map { .number(Int($0)) },
            "bytes": positive(span.bytes), "wasted bytes": positive(span.wastedBytes), "pixels": positive(span.pixels),
            "first byte after ms": span.responded.map { .time(($0 - span.start) / .milliseconds(1)) },
        ]
        func slice(_ name: String, _ start: Duration, _ finish: Duration) -> TraceEntry {
            let length = max(.zero, finish - start) / .microseconds(1)
            return TraceEntry(name: name, ph: "X", ts: time(start), dur: length, tid: lane(span), cat: "stage")
        }
        var whole = slice(span.stage.rawValue, span.start, span.finish)
        whole.args = facts.compactMapValues(\.self)
        return [whole] + span.pauses.map { slice("paused", $0.lowerBound, $0.upperBound) }
    }

    private func arrow(to span: Timeline.Span, of request: PipelineEvent.Number, isLast: Bool) -> TraceEntry {
        TraceEntry(
            name: "way", ph: isLast ? "f" : "t", ts: time(span.start), tid: lane(span), cat: "way", id: Int(request),
            bp: "e")
    }

    // MARK: Counters

    private func counters() -> [TraceEntry] {
        var entries: [TraceEntry] = []
        var memory: [String: TraceEntry.Value] = [:]
        var bytes: [Int: Int] = [:]
        var loaded = 0
        for sample in timeline.samples {
            switch sample.quantity {
            case .decodingBytes: memory["decodes"] = .number(sample.value)
            case .keptBytes:
                memory["caches"] = .number(sample.value)
                entries.append(counter("memory in bytes", sample.time, memory))
            case .queued(let stage):
                entries.append(counter("waiting: \(stage.rawValue)", sample.time, ["jobs": .number(sample.value)]))
            case .loadedBytes:
                bytes[Int((sample.time - timeline.start) / TraceFile.window), default: 0] += sample.value - loaded
                loaded = sample.value
            }
        }
        guard let end = bytes.keys.max() else { return entries }
        for window in 0...(end + 1) {
            let rate = Double(bytes[window] ?? 0) * 8 / (TraceFile.window / .seconds(1)) / 1e6
            entries.append(counter("Mbit/s", timeline.start + TraceFile.window * window, ["loaded": .time(rate)]))
        }
        return entries
    }

    private func counter(_ name: String, _ moment: Duration, _ values: [String: TraceEntry.Value]) -> TraceEntry {
        TraceEntry(name: name, ph: "C", ts: time(moment), tid: 0, args: values)
    }

    private func time(_ moment: Duration) -> Double { (moment - timeline.start) / .microseconds(1) }

    private func word(_ end: Timeline.End) -> String {
        switch end {
        case .open: "not over"
        case .done(let cache?): "from \(cache.rawValue)"
        case .done(nil): "done"
        case .handedOn: "goes on"
        case .failed(let message): "failed: \(redaction.text(message))"
        case .cancelled: "cancelled"
        }
    }
}

/// An event in the Trace Event Format, with the names of its keys.
struct TraceEntry: Encodable {
    enum Value: Encodable {
        case number(Int)
        case time(Double)
        case text(String)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .time(let time): try container.encode(time)
            case .text(let text): try container.encode(text)
            }
        }
    }

    let name: String
    /// The kind: `X` a slice, `b`/`e` the start and end of an interval outside the lanes, `s`/`t`/`f` start, middle and
    /// end of an arrow, `C` a counter, `i` an instant, `M` a name.
    let ph: String
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
