import ArgumentParser
import Firn
import FirnReport

/// A batch from its sources to its summary, for `firn load` and `firn thumbnail`.
struct LoadRun {
    /// The amount of output in addition to failures.
    enum Talk {
        case quiet, normal, verbose
    }

    /// The name of the batch in its progress bar and its records.
    let title: String
    let sources: SourceList
    var plan: LoadPlan
    let setting: LoadEnvironment
    let record: LoadRecord
    var sheet: String?
    var talk = Talk.normal
    var isJSON = false

    /// - Throws: `ExitCode` if some input failed or something could not be written. The reason was reported.
    func run() async throws {
        try checkFiles()
        let inquiry = SnapshotSignal(setting.pipeline)
        defer { withExtendedLifetime(inquiry) {} }
        let items = sources.items
        let isPiped = plan.output?.target.isStandardOutput == true
        let bar = ProgressBar(title, total: items.count, isShown: talk == .quiet || isPiped ? false : nil)
        let interruption = InterruptGuard { bar.finish() }
        defer { withExtendedLifetime(interruption) {} }

        var totals = LoadTotals(leftOut: sources.leftOut)
        var cells: [ContactSheet.Cell] = []
        let isBarShown = Terminal().isInteractive && Terminal(descriptor: 1).isInteractive
        let saysLines = talk != .quiet && !isBarShown && !isPiped
        let batch = LoadBatch(items: items, plan: plan, pipeline: setting.pipeline)
        await batch.run { outcome in
            var failed = 0
            if case .failure(let failure) = outcome.result {
                failed = 1
                if !isJSON { bar.note("firn: \(outcome.name): \(failure.message)") }
            }
            bar.advance(failed: failed)
            bar.setBytes(setting.pipeline.statistics.bytesLoaded)
        } deliver: { outcome in
            totals.count(outcome)
            if sheet != nil, cells.count < SheetFile.most { cells.append(outcome.cell) }
            if isPiped { return }
            if isJSON {
                StandardOutput.line(outcome.json.text)
            } else if saysLines, let text = outcome.text {
                StandardOutput.line(text)
            }
            if talk == .verbose, !isJSON, let text = outcome.transferText { StandardOutput.line("  \(text)") }
        }
        await setting.pipeline.flush()
        setting.cache?.flush()
        bar.finish()
        if let failure = setting.cache?.failure {
            StandardError.line("firn: cache: \(plan.redaction.text(failure.message))")
        }
        var isSheetWritten = true
        if let sheet { isSheetWritten = SheetFile.write(cells, of: items.count, totals: totals, to: sheet) }
        let isRecordWritten = record.write(title: "firn \(title.lowercased())")
        summarize(totals, isPiped: isPiped)
        if totals.failed > 0 || !isSheetWritten || !isRecordWritten { throw ExitCode.someFailed }
    }

    private func summarize(_ totals: LoadTotals, isPiped: Bool) {
        guard talk != .quiet || isJSON, !isPiped else { return }
        let statistics = setting.pipeline.statistics
        let background = plan.output?.background.description ?? ""
        StandardOutput.line(
            isJSON ? totals.json(statistics).text : totals.text(statistics, background: background))
    }

    /// - Throws: `ExitCode` if an image would be written to a terminal. The reason was reported.
    static func checkStandardOutput() throws {
        guard Terminal(descriptor: 1).isTerminal else { return }
        StandardError.line("firn: -: the standard output is a terminal; send the image to a file or a program")
        throw ExitCode.someFailed
    }

    /// Checks that no source is overwritten and no image is written to a terminal.
    private func checkFiles() throws {
        if plan.output?.target.isStandardOutput == true { try LoadRun.checkStandardOutput() }
        let places =
            plan.output?.places
            ?? OutputPlaces(sources: sources.items.compactMap(\.source?.path), purpose: "")
        for path in record.paths + [sheet].compactMap(\.self) {
            do throws(OutputFault) {
                try places.check(path)
            } catch {
                StandardError.line("firn: \(path): is a source and is not written over; choose another name")
                throw ExitCode.someFailed
            }
        }
    }
}
