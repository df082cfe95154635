import Firn
import FirnReport

struct LoadTotals: Sendable {
    private(set) var loaded = 0
    private(set) var failed = 0
    /// Images of which pixels are missing.
    private(set) var incomplete = 0
    private(set) var bytes = 0
    /// Images that were put on a background, since the output format has no transparency.
    private(set) var flattened = 0
    /// Images whose output files existed and were kept.
    private(set) var kept = 0
    /// The content of folders that is no source.
    private let leftOut: LeftOutFiles
    private var durations: [Duration] = []
    private let start = ContinuousClock.now

    init(leftOut: LeftOutFiles) { self.leftOut = leftOut }

    mutating func count(_ outcome: SourceBatch.Outcome<LoadedImage>) {
        switch outcome.result {
        case .failure: failed += 1
        case .success(.kept): kept += 1
        case .success(.loaded(let image)):
            loaded += 1
            bytes += image.bytes
            if image.damage != nil { incomplete += 1 }
            if image.written?.isFlattened == true { flattened += 1 }
            if image.written?.isKept == true { kept += 1 }
            durations.append(image.duration)
        }
    }

    func json(_ statistics: PipelineStatistics) -> JSONValue {
        let times = Percentiles(durations)
        var fields: [(name: String, value: JSONValue)] = [
            ("loaded", .int(loaded)),
            ("failed", .int(failed)),
            ("bytes", .int(bytes)),
            ("networkBytes", .int(statistics.bytesLoaded)),
            ("memoryHits", .int(statistics.memoryHits)),
            ("diskHits", .int(statistics.diskHits)),
            ("coalesced", .int(statistics.coalesced)),
            ("p50Ms", JSONValue(milliseconds: times.value(at: 50))),
            ("p95Ms", JSONValue(milliseconds: times.value(at: 95))),
            ("wallMs", JSONValue(milliseconds: start.duration(to: .now))),
            ("peakMemory", .int(PeakMemory.sinceReset)),
        ]
        if incomplete > 0 { fields.append(("incomplete", .int(incomplete))) }
        if flattened > 0 { fields.append(("flattened", .int(flattened))) }
        if kept > 0 { fields.append(("kept", .int(kept))) }
        if leftOut.count > 0 { fields.append(("leftOut", leftOut.json)) }
        return .object([("summary", .object(fields))])
    }

    /// Returns the summary in one line.
    ///
    /// - Parameter background: the color behind transparent images.
    func text(_ statistics: PipelineStatistics, background: String = "white") -> String {
        let wall = start.duration(to: .now)
        var parts = ["\(loaded) loaded"]
        if incomplete > 0 { parts.append("\(incomplete) incomplete") }
        if failed > 0 { parts.append("\(failed) failed") }
        if kept > 0 { parts.append("\(kept) kept that were there") }
        if let text = leftOut.text { parts.append(text) }
        if flattened > 0 { parts.append("\(flattened) with transparency put on \(background) (--background)") }
        if bytes > 0 { parts.append(ByteText.text(bytes)) }
        if statistics.diskHits > 0 { parts.append("\(statistics.diskHits) from the disk cache") }
        parts.append(DurationText.text(wall))
        parts.append("peak memory \(ByteText.text(PeakMemory.sinceReset))")
        return parts.joined(separator: ", ")
    }
}
