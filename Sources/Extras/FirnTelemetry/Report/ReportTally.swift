import FirnPipeline

/// The totals at the top of the report, and the failures.
struct ReportTally {
    private let timeline: Timeline
    private(set) var loaded = 0
    private(set) var fromDisk = 0
    private(set) var fromMemory = 0
    private(set) var fromBitmaps = 0
    private(set) var cancelled = 0
    private(set) var failed: [Timeline.Request] = []
    private(set) var loadedBytes = 0
    private(set) var wastedBytes = 0

    init(_ timeline: Timeline) {
        self.timeline = timeline
        fromMemory = timeline.memoryHits
        for request in timeline.requests {
            switch request.end {
            case .done(.memory): fromMemory += 1
            case .done(.disk): fromDisk += 1
            case .done(.bitmap): fromBitmaps += 1
            case .done(nil): loaded += 1
            case .cancelled: cancelled += 1
            case .failed: failed.append(request)
            case .open, .handedOn: break
            }
        }
        for span in timeline.spans where span.stage == .transfer {
            loadedBytes += span.bytes
            wastedBytes += span.wastedBytes
        }
    }

    var tiles: Markup {
        let durations = timeline.requests.filter { if case .done = $0.end { true } else { false } }.map(\.duration)
            .sorted()
        func quantile(_ part: Double) -> String {
            guard let last = durations.last else { return "–" }
            let index = Int(Double(durations.count) * part)
            return ReportAmount.time(durations.indices.contains(index) ? durations[index] : last)
        }
        var tiles = [
            tile("\(timeline.requests.count + timeline.memoryHits)", "requests"),
            tile(ReportAmount.time(timeline.duration), "from first to last"),
            tile(quantile(0.5), "median"), tile(quantile(0.95), "95 %"),
            tile(ReportAmount.bytes(loadedBytes), "loaded"),
            tile(ReportAmount.bytes(wastedBytes), "wasted", isBad: wastedBytes > 0),
        ]
        if timeline.previews > 0 { tiles.append(tile("\(timeline.previews)", "previews shown")) }
        if cancelled > 0 { tiles.append(tile("\(cancelled)", "cancelled")) }
        if !failed.isEmpty { tiles.append(tile("\(failed.count)", "failed", isBad: true)) }
        return Markup(joining: tiles)
    }

    private func tile(_ value: String, _ name: String, isBad: Bool = false) -> Markup {
        "<div class=\"tile\(isBad ? " bad" : "")\"><b>\(value)</b><span>\(name)</span></div>"
    }

    var sources: Markup {
        let parts = [
            (fromMemory, "memory", "--process"), (fromBitmaps, "bitmap store", "--decode"),
            (fromDisk, "data cache", "--read"),
            (loaded, "loaded or read", "--transfer"),
            (failed.count, "failed", "--bad"), (cancelled, "cancelled", "--store"),
        ].filter { $0.0 > 0 }
        let total = max(1, parts.reduce(0) { $0 + $1.0 })
        let pieces = parts.map { count, name, color -> Markup in
            let share = Double(count) * 100 / Double(total)
            return """
                <div style="width:\(share)%;background:var(\(color))" title="\(name): \(count)">\(name) \(count)</div>
                """
        }
        return "<div class=\"bar\">\(Markup(joining: pieces))</div>"
    }

    var failures: Markup {
        guard !failed.isEmpty else { return "" }
        let rows = failed.prefix(50).map { request -> Markup in
            guard case .failed(let message) = request.end else { return "" }
            return "<tr><td>\(request.source)</td><td>\(message)</td></tr>\n"
        }
        return "<section id=\"failures\"><h2>What failed</h2><table>\(Markup(joining: rows))</table></section>"
    }
}

/// Formats times and sizes.
enum ReportAmount {
    static func time(_ time: Duration) -> String {
        let value = time / .nanoseconds(1)
        if value < 1e6 { return "\(rounded(value / 1e3)) µs" }
        if value < 1e9 { return "\(rounded(value / 1e6)) ms" }
        return "\(rounded(value / 1e9)) s"
    }

    static func bytes(_ count: Int) -> String {
        let value = Double(count)
        if value < 1e3 { return "\(count) B" }
        if value < 1e6 { return "\(rounded(value / 1e3)) kB" }
        if value < 1e9 { return "\(rounded(value / 1e6)) MB" }
        return "\(rounded(value / 1e9)) GB"
    }

    /// Three digits.
    private static func rounded(_ value: Double) -> String {
        if value >= 100 { return String(Int(value.rounded())) }
        let digits: Double = value >= 10 ? 10 : 100
        let number = (value * digits).rounded() / digits
        return number == number.rounded() ? String(Int(number)) : String(number)
    }
}
