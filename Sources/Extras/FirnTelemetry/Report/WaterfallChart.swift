import FirnPipeline

/// The slowest requests: a row for each, with a bar for each stage at its time.
struct WaterfallChart {
    private let timeline: Timeline
    private let requests: [Timeline.Request]
    private let spans: [PipelineEvent.Number: [Timeline.Span]]
    private static let row = 18.0
    private static let names = 250.0
    private static let width = 1060.0

    init(_ timeline: Timeline, count: Int) {
        self.timeline = timeline
        let slowest = timeline.requests.sorted { $0.duration > $1.duration }.prefix(count)
        requests = slowest.sorted { ($0.start, $0.number) < ($1.start, $1.number) }
        let shown = Set(requests.map(\.number))
        var spans: [PipelineEvent.Number: [Timeline.Span]] = [:]
        for span in timeline.spans where span.stage != .store {
            for request in span.requests where shown.contains(request) { spans[request, default: []].append(span) }
        }
        self.spans = spans
    }

    var count: Int { requests.count }

    static let legend: Markup = """
        <div class="legend"><span><i style="background:var(--wait)"></i>waiting</span>\
        <span><i style="background:var(--read)"></i>read</span>\
        <span><i style="background:var(--transfer)"></i>transfer \
        (line: first byte; pale: paused)</span><span><i style="background:var(--decode)"></i>decode</span>\
        <span><i style="background:var(--process)"></i>process</span></div>
        """

    var chart: Markup {
        let height = Double(requests.count) * WaterfallChart.row + 24
        let rows = requests.enumerated().map { row($0.element, top: Double($0.offset) * WaterfallChart.row + 20) }
        return """
            <svg viewBox="0 0 \(WaterfallChart.width) \(height)" role="img" aria-label="Waterfall">
            \(axis(height))\(Markup(joining: rows))</svg>
            """
    }

    private var first: Duration { requests.map(\.start).min() ?? .zero }
    private var last: Duration { max(first + .nanoseconds(1), requests.map(\.finish).max() ?? .zero) }

    private func x(_ time: Duration) -> Double {
        let part = (time - first) / (last - first)
        return WaterfallChart.names + min(max(part, 0), 1) * (WaterfallChart.width - WaterfallChart.names - 60)
    }

    private func axis(_ height: Double) -> Markup {
        let lines = (0...5).map { index -> Markup in
            let time = first + (last - first) / 5 * index
            return """
                <line class="grid" x1="\(x(time))" x2="\(x(time))" y1="16" y2="\(height)"/>\
                <text class="faint" x="\(x(time) + 3)" y="11">\(ReportAmount.time(time - first))</text>

                """
        }
        return Markup(joining: lines)
    }

    private func row(_ request: Timeline.Request, top: Double) -> Markup {
        var parts: [Markup] = [
            "<text x=\"0\" y=\"\(top + 12)\">\(WaterfallChart.name(request.source))</text>",
            piece("wait", request.start, request.finish, top + 6, 4, request.source),
        ]
        for span in spans[request.number] ?? [] {
            var kind = span.stage.rawValue
            if case .failed = span.end { kind = "failed" }
            let facts =
                "\(span.stage.rawValue) \(ReportAmount.time(span.duration)), waited \(ReportAmount.time(span.waited))"
            parts.append(
                piece(kind, max(span.start, request.start), min(span.finish, request.finish), top + 2, 12, facts))
            for pause in span.pauses {
                parts.append(piece("paused", pause.lowerBound, pause.upperBound, top + 2, 12, "paused"))
            }
            if let responded = span.responded {
                let place = x(responded)
                parts.append(
                    "<line class=\"responded\" x1=\"\(place)\" x2=\"\(place)\" y1=\"\(top + 2)\" y2=\"\(top + 14)\"/>")
            }
        }
        let length = ReportAmount.time(request.duration)
        parts.append("<text class=\"faint\" x=\"\(x(request.finish) + 4)\" y=\"\(top + 12)\">\(length)</text>\n")
        return Markup(joining: parts)
    }

    private func piece(
        _ kind: String, _ start: Duration, _ finish: Duration, _ top: Double, _ height: Double, _ facts: String
    ) -> Markup {
        """
        <rect class="\(kind)" x="\(x(start))" y="\(top)" width="\(max(1, x(finish) - x(start)))" \
        height="\(height)" rx="1.5">\
        <title>\(facts)</title></rect>
        """
    }

    /// The end of an address, which is more specific than its beginning.
    static func name(_ source: String) -> String {
        source.count <= 38 ? source : "…" + source.suffix(37)
    }
}
