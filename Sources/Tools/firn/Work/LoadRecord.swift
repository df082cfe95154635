import Firn
import FirnReport
import FirnTelemetry
import FoundationEssentials

/// The records of a batch in addition to its images: a trace, metrics.
struct LoadRecord {
    let trace: String?
    let metrics: String?
    let showsQueries: Bool
    private let recorder = TimelineRecorder()
    private let page = PrometheusPage()

    var paths: [String] { [trace, metrics].compactMap(\.self) }

    var observers: [any PipelineObserver] {
        var observers: [any PipelineObserver] = []
        if trace != nil { observers.append(recorder) }
        if metrics != nil { observers.append(MetricsObserver(page: page)) }
        return observers
    }

    /// Writes the files, each completely or not at all.
    ///
    /// - Returns: whether all were written. Errors are reported on standard error.
    func write() -> Bool {
        var isWritten = true
        if let trace {
            let timeline = recorder.timeline
            if recorder.omittedCount > 0 {
                StandardError.line("firn: the record was full; the last \(recorder.omittedCount) events are not in it")
            }
            isWritten = put(trace) { try TraceFile(timeline, showsQueries: showsQueries).data() }
        }
        if let metrics { isWritten = put(metrics) { Data(page.text.utf8) } && isWritten }
        return isWritten
    }

    private func put(_ path: String, _ content: () throws -> Data) -> Bool {
        do {
            try StandardError.warn(path, OutputFile.write(content(), to: path))
            return true
        } catch let error as DataFileError {
            StandardError.line("firn: \(path): cannot \(error.call): \(error.reason)")
        } catch {
            StandardError.line("firn: \(path): \(error)")
        }
        return false
    }
}

enum SheetFile {
    /// Maximum number of cells: few programs open a larger sheet.
    static let most = 400

    /// Draws and writes the sheet. Reports a failure.
    static func write(_ cells: [ContactSheet.Cell], of count: Int, totals: LoadTotals, to path: String) -> Bool {
        guard !cells.isEmpty else { return true }
        var title = "\(totals.loaded) images"
        if totals.failed > 0 { title += ", \(totals.failed) failed" }
        if cells.count < count { title += " (the first \(cells.count) are shown)" }
        do {
            let page = try ContactSheet.draw(title: title, cells: cells)
            let format = OutputFormat(path: path) ?? .png
            try StandardError.warn(path, OutputFile.write(format.encode(page), to: path))
            return true
        } catch let error as DataFileError {
            StandardError.line("firn: \(error.path): cannot write the sheet: \(error.reason)")
        } catch {
            StandardError.line("firn: \(path): cannot write the sheet: \(error)")
        }
        return false
    }
}
