import ArgumentParser
import Firn
import FirnReport

/// A batch from its sources to its summary, for `firn load` and `firn thumbnail`.
struct LoadRun {
    /// The name of the batch in its progress bar and its records.
    let title: String
    let sources: SourceList
    let plan: LoadPlan
    let setting: LoadEnvironment
    let record: LoadRecord
    var sheet: String?
    let options: BatchOptions
    let jobs: Int
    let redaction: AddressRedaction

    private var isQuiet: Bool { options.report.quiet }
    private var isJSON: Bool { options.report.json }

    /// - Throws: `ExitCode` if some input failed or something could not be written. The reason was reported.
    func run() async throws {
        try checkFiles()
        let inquiry = SignalHandler(printing: setting.pipeline)
        defer { withExtendedLifetime(inquiry) {} }
        let items = sources.items
        let isPiped = plan.output?.target.isStandardOutput == true
        let bar = ProgressBar(title, total: items.count, isShown: isQuiet || isPiped ? false : nil)
        let interruption = SignalHandler(cleanUp: { bar.finish() })
        defer { withExtendedLifetime(interruption) {} }

        var totals = LoadTotals(leftOut: sources.leftOut)
        var cells: [ContactSheet.Cell] = []
        let isBarShown = Terminal().isInteractive && Terminal(descriptor: 1).isInteractive
        let batch = SourceBatch(
            items: items, form: isPiped ? .nothing : isJSON ? .json : isQuiet || isBarShown ? .nothing : .lines,
            jobs: jobs, redaction: redaction, bar: bar)
        let stems = plan.output.map { $0.stems(for: sources) }
        _ = await batch.run { [plan, setting] source, index in
            defer { bar.setBytes(setting.pipeline.statistics.bytesLoaded) }
            return try await SourceLoad(
                source: source, stem: stems?[index], plan: plan, pipeline: setting.pipeline
            ).run()
        } printed: { outcome in
            totals.count(outcome)
            if sheet != nil, cells.count < SheetFile.most { cells.append(outcome.cell) }
            if options.verbose, !isJSON, !isPiped, let text = try? outcome.result.get().transferText {
                StandardOutput.line("  \(text)")
            }
        }
        await setting.pipeline.flush()
        bar.finish()
        setting.finish()
        let isSheetWritten = sheet.map { SheetFile.write(cells, of: items.count, totals: totals, to: $0) } ?? true
        let isRecordWritten = record.write()
        summarize(totals, isPiped: isPiped)
        let isFine = totals.failed == 0 && totals.incomplete == 0 && isSheetWritten && isRecordWritten
        if !isFine { throw ExitCode.someFailed }
    }

    private func summarize(_ totals: LoadTotals, isPiped: Bool) {
        guard !isQuiet || isJSON, !isPiped else { return }
        let statistics = setting.pipeline.statistics
        let background = plan.output?.background.description ?? ""
        StandardOutput.line(
            isJSON ? totals.json(statistics).text : totals.text(statistics, background: background))
    }

    /// Checks that no source is overwritten.
    private func checkFiles() throws {
        let places = plan.output?.places ?? OutputPlaces(sources, purpose: "")
        for path in record.paths + [sheet].compactMap(\.self) where places.isSource(path) {
            StandardError.line("firn: \(path): is a source and is not written over; choose another name")
            throw ExitCode.someFailed
        }
    }
}
