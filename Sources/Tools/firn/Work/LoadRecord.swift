import FirnTelemetry

/// The trace and the metrics of a batch.
struct LoadRecord: Sendable {
    var trace: String?
    var metrics: String?
    private let recorder = TimelineRecorder()
    private let page = PrometheusPage()

    var observers: [any PipelineObserver] {
        (trace == nil ? [] : [recorder]) + (metrics == nil ? [] : [MetricsObserver(page: page)])
    }

    /// Writes each file completely or not at all.
    ///
    /// - Returns: whether all were written. Errors are reported on standard error.
    func write(showsQueries: Bool) -> Bool {
        if recorder.omittedCount > 0 {
            StandardError.line("firn: the record was full; the last \(recorder.omittedCount) events are not in it")
        }
        let isTraceWritten = trace.map {
            LoadRecord.put($0) { try recorder.trace(showsQueries: showsQueries) }
        }
        let areMetricsWritten = metrics.map { LoadRecord.put($0) { Data(page.text.utf8) } }
        return isTraceWritten != false && areMetricsWritten != false
    }

    /// Writes a file and returns whether that succeeded. Reports an error on standard error.
    ///
    /// - Parameter failure: the failed action. Default: the failed system call.
    static func put(_ path: String, failure: String? = nil, _ content: () throws -> Data) -> Bool {
        do {
            try StandardError.warn(path, OutputFile.write(content(), to: path))
            return true
        } catch {
            let fault = error as? DataFileError
            let action = failure ?? fault.map { "cannot \($0.call)" }
            let parts = [path, action, fault?.reason ?? "\(error)"]
            StandardError.line("firn: \(parts.compactMap(\.self).joined(separator: ": "))")
            return false
        }
    }
}

/// The counts of a batch for its summary.
struct LoadTotals {
    private(set) var failed = 0
    /// The number of images with missing pixels.
    private(set) var incomplete = 0
    private var bytes = 0
    /// The number of images that were put on a background, because the output format has no transparency.
    private var flattened = 0
    /// The number of images whose output files existed and were kept.
    private var kept = 0
    private var durations: [Duration] = []
    /// The files in folders that are not sources.
    private let leftOut: LeftOutFiles
    private let start = ContinuousClock.now

    init(leftOut: LeftOutFiles) { self.leftOut = leftOut }

    var loaded: Int { durations.count }

    mutating func count(_ result: Result<Finding, ImageFault>) {
        guard case .success(let finding) = result else { return failed += 1 }
        flattened += finding.flattened
        if finding.isKept { kept += 1 }
        if finding.damage != nil { incomplete += 1 }
        guard let load = finding.load else { return }
        bytes += load.bytes
        durations.append(load.duration)
    }

    func json(_ statistics: PipelineStatistics) -> JSONValue {
        func count(_ number: Int) -> Int? { number > 0 ? number : nil }
        let summary: JSONValue = [
            "loaded": loaded, "failed": failed, "bytes": bytes, "networkBytes": statistics.bytesLoaded,
            "memoryHits": statistics.memoryHits, "diskHits": statistics.diskHits, "coalesced": statistics.coalesced,
            "p50Ms": JSONValue(milliseconds: durations.percentile(50)),
            "p95Ms": JSONValue(milliseconds: durations.percentile(95)),
            "wallMs": JSONValue(milliseconds: start.duration(to: .now)), "peakMemory": PeakMemory.sinceReset,
            "incomplete": count(incomplete), "flattened": count(flattened), "kept": count(kept),
            "leftOut": leftOut.count > 0 ? leftOut : nil,
        ]
        return ["summary": summary]
    }

    /// Returns the summary in one line.
    ///
    /// - Parameter background: the color behind transparent images.
    func text(_ statistics: PipelineStatistics, background: String) -> String {
        let wall = start.duration(to: .now)
        let parts = [
            "\(loaded) loaded", incomplete > 0 ? "\(incomplete) incomplete" : nil,
            failed > 0 ? "\(failed) failed" : nil, kept > 0 ? "\(kept) kept that were there" : nil, leftOut.text,
            flattened > 0 ? "\(flattened) with transparency put on \(background) (--background)" : nil,
            bytes > 0 ? ByteText.text(bytes) : nil,
            statistics.diskHits > 0 ? "\(statistics.diskHits) from the disk cache" : nil, DurationText.text(wall),
            "peak memory \(ByteText.text(PeakMemory.sinceReset))",
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
