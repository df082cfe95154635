import FirnData
import FirnPipeline

/// A histogram of the durations of a stage, by powers of two.
struct StageHistogram {
    private let stage: PipelineEvent.Stage
    private let durations: [Duration]
    private let waits: [Duration]

    /// Returns `nil` for a stage that never ran.
    init?(_ timeline: Timeline, stage: PipelineEvent.Stage) {
        let spans = timeline.spans.filter { $0.stage == stage && $0.end != .open }
        guard !spans.isEmpty else { return nil }
        self.stage = stage
        durations = spans.map(\.duration).sorted()
        waits = spans.map(\.waited).sorted()
    }

    /// The number of durations for each power of two of microseconds.
    var columns: [(power: Int, count: Int)] {
        var counts: [Int: Int] = [:]
        for duration in durations { counts[StageHistogram.power(duration), default: 0] += 1 }
        guard let first = counts.keys.min(), let last = counts.keys.max() else { return [] }
        return (first...last).map { ($0, counts[$0] ?? 0) }
    }

    /// Returns the lowest power of two of microseconds above a time.
    static func power(_ time: Duration) -> Int {
        let microseconds = max(0, time.nanoseconds / 1000)
        return Int64.bitWidth - microseconds.leadingZeroBitCount
    }

    var chart: Markup {
        let columns = columns
        let most = Double(max(1, columns.map(\.count).max() ?? 1))
        let width = 300.0 / Double(max(1, columns.count))
        // Labels are about 45 wide.
        let every = max(1, Int((48 / width).rounded(.up)))
        let bars = columns.enumerated().map { index, column -> Markup in
            let height = 70 * Double(column.count) / most
            let x = Double(index) * width
            let below = ReportAmount.time(.microseconds(1 << Int64(min(column.power, 40))))
            let label: Markup =
                index % every == 0 ? "<text class=\"faint\" x=\"\(x)\" y=\"96\">&lt;\(below)</text>" : ""
            return """
                <rect class="\(stage.rawValue)" x="\(x + 1)" y="\(82 - height)" width="\(max(1, width - 2))" \
                height="\(height)">\
                <title>\(column.count) below \(below)</title></rect>\(label)
                """
        }
        return """
            <div class="chart"><b>\(stage.rawValue)</b> <span class="faint">\(durations.count) times · median \
            \(ReportAmount.time(durations[durations.count / 2])) · \
            longest \(ReportAmount.time(durations.last ?? .zero)) · \
            waited \(ReportAmount.time(waits[waits.count / 2])) (median)</span>
            <svg viewBox="0 0 300 100">\(Markup(joining: bars))</svg></div>

            """
    }
}
