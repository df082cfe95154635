import Firn
import FirnReport

/// What a whole batch came to.
struct LoadTotals: Sendable {
    private(set) var loaded = 0
    private(set) var failed = 0
    private(set) var bytes = 0
    private var durations: [Duration] = []
    private let start = ContinuousClock.now

    mutating func count(_ outcome: LoadOutcome) {
        switch outcome.result {
        case .failure: failed += 1
        case .success(let picture):
            loaded += 1
            bytes += picture.bytes
            durations.append(picture.duration)
        }
    }

    /// The last object for scripts.
    func json(_ statistics: PipelineStatistics) -> JSONValue {
        let times = Percentiles(durations)
        return .object([
            (
                "summary",
                .object([
                    ("loaded", .int(loaded)),
                    ("failed", .int(failed)),
                    ("bytes", .int(bytes)),
                    ("networkBytes", .int(statistics.bytesLoaded)),
                    ("memoryHits", .int(statistics.memoryHits)),
                    ("diskHits", .int(statistics.diskHits)),
                    ("coalesced", .int(statistics.coalesced)),
                    ("p50Ms", LoadTotals.milliseconds(times.value(at: 50))),
                    ("p95Ms", LoadTotals.milliseconds(times.value(at: 95))),
                    ("wallMs", LoadTotals.milliseconds(start.duration(to: .now))),
                    ("peakMemory", .int(ResourceUse.now.peakMemory)),
                ])
            )
        ])
    }

    /// One line for people.
    func text(_ statistics: PipelineStatistics) -> String {
        let wall = start.duration(to: .now)
        var parts = ["\(loaded) loaded"]
        if failed > 0 { parts.append("\(failed) failed") }
        if bytes > 0 { parts.append(ByteText.text(bytes)) }
        if statistics.diskHits > 0 { parts.append("\(statistics.diskHits) from the disk cache") }
        parts.append(DurationText.text(wall))
        parts.append("peak memory \(ByteText.text(ResourceUse.now.peakMemory))")
        return parts.joined(separator: ", ")
    }

    private static func milliseconds(_ duration: Duration?) -> JSONValue {
        duration.map { .double(($0.milliseconds * 1000).rounded() / 1000) } ?? .null
    }
}
