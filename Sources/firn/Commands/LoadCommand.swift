import ArgumentParser
import Firn
import FirnReport

/// `firn load`: pictures from anywhere, through the pipeline.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load pictures from the network, files and folders.",
        discussion: """
            A source is a URL, a file, a folder (searched for pictures, by content), or @list.txt with a source a line.
            A source that fails is reported and does not stop the rest.

            EXAMPLES
              firn load https://example.org/a.jpg https://example.org/b.webp --out pictures
              firn load ~/Pictures --size 400x400 --format webp --quality 80 --out small
              firn load @urls.txt --sheet sheet.png --cache /tmp/pictures --jobs 12
              firn load ~/Pictures --json | jq .width
              firn load @urls.txt --report report.html --trace trace.json
              firn load photo.jpg --process 'resize=400x300:crop,rounded=12:border=2' --format png --out small

            A connection that is not made within 10 s, an answer that does not come within 30 s, and a body that brings less
            than 1 KiB a second over 30 s are given up; so is a source that stalls again, within two minutes. --timeout
            limits each transfer as a whole.

            'firn processors' lists what --process takes. While it runs, SIGUSR1 has it print what it is doing.
            """)

    @Option(help: PixelSizeArgument.help)
    var size: PixelSizeArgument?

    @Option(help: "How --size is read: 'fit' puts the picture inside, 'fill' covers the whole rectangle.")
    var mode = ModeArgument.fit

    @Option(
        help: ArgumentHelp(
            "Change every picture, like 'resize=400x300:crop,blur=8'; see 'firn processors'.", valueName: "list"),
        transform: { try ProcessArgument($0) })
    var process: ProcessArgument?

    @Option(help: "The format to write. Default: that of the source where it can be written, else png.")
    var format: OutputFormat?

    @Option(help: ArgumentHelp("Quality of lossy formats: from 0 to 1, or in percent.", valueName: "q"))
    var quality: QualityArgument?

    @Option(help: ArgumentHelp("Write the pictures into this folder.", valueName: "dir"))
    var out: String?

    @Option(help: ArgumentHelp("Write a contact sheet of all pictures to this file.", valueName: "file.png"))
    var sheet: String?

    @Option(help: ArgumentHelp("Keep originals in this folder. Default: the user's cache folder.", valueName: "dir"))
    var cache: String?

    @Flag(name: .customLong("no-cache"), help: "Neither read nor write a cache on disk.")
    var noCache = false

    @Option(help: ArgumentHelp("Load at most this many pictures at once.", valueName: "n"))
    var jobs = 6

    @Option(
        help: ArgumentHelp(
            "Give a transfer up after this time, like 20, 1.5 or 2m. Default: no limit.", valueName: "seconds"))
    var timeout: TimeLimitArgument?

    @Option(help: ArgumentHelp("Write what happened, for Perfetto or chrome://tracing.", valueName: "file.json"))
    var trace: String?

    @Option(help: ArgumentHelp("Write what happened as a page with the slowest requests.", valueName: "file.html"))
    var report: String?

    @Option(help: ArgumentHelp("Write the counts as Prometheus reads them.", valueName: "file.prom"))
    var metrics: String?

    @Flag(help: "Print one JSON object a line and source, then a summary.")
    var json = false

    @Flag(help: "Tell what each transfer took: look-up, connection, first byte, bytes.")
    var verbose = false

    @Flag(help: "Let addresses of @lists lead anywhere, also into this machine and its local network.")
    var trustLists = false

    @Argument(help: ArgumentHelp("URLs, files, folders, @lists.", valueName: "src"))
    var sources: [String]

    func validate() throws {
        if !(1...1024).contains(jobs) { throw ValidationError("--jobs takes a number from 1 to 1024.") }
        if cache != nil, noCache { throw ValidationError("--cache and --no-cache exclude each other.") }
        if let sheet, OutputFormat(path: sheet) == nil {
            throw ValidationError("The name after --sheet has to end in \(OutputFormat.endings).")
        }
        if out == nil, format != nil || quality != nil {
            throw ValidationError("--format and --quality have a meaning only with --out.")
        }
    }

    func run() async throws {
        let items = SourceList(sources).items
        if let out { try makeFolder(out) }
        let record = LoadRecord(trace: trace, report: report, metrics: metrics)
        let setting = LoadSetting(
            cacheFolder: cache, usesCache: !noCache, trustsLists: trustLists, timeout: timeout?.duration,
            observers: record.observers)
        let inquiry = SnapshotSignal(setting.pipeline)
        defer { withExtendedLifetime(inquiry) {} }
        let plan = LoadPlan(
            target: size.map { TargetSize($0.size, mode: mode.contentMode) },
            processors: process?.processors ?? [], format: format, quality: quality?.value,
            folder: out,
            sheetSize: sheet.map { _ in SheetLayout(count: min(items.count, SheetFile.most)).pictureSize }, jobs: jobs)
        let bar = ProgressBar("Loading", total: items.count)
        let interruption = InterruptGuard { bar.finish() }
        defer { withExtendedLifetime(interruption) {} }

        var totals = LoadTotals()
        var cells: [ContactSheet.Cell] = []
        let isQuiet = Terminal().isInteractive && Terminal(descriptor: 1).isInteractive
        let batch = LoadBatch(items: items, plan: plan, pipeline: setting.pipeline)
        await batch.run { outcome in
            var failed = 0
            if case .failure(let failure) = outcome.result {
                failed = 1
                if !json { bar.note("firn: \(outcome.name): \(failure.message)") }
            }
            bar.advance(failed: failed)
            bar.setBytes(setting.pipeline.statistics.bytesLoaded)
        } deliver: { outcome in
            totals.count(outcome)
            if sheet != nil, cells.count < SheetFile.most { cells.append(outcome.cell) }
            if json {
                StandardOutput.line(outcome.json.text)
            } else if !isQuiet, let text = outcome.text {
                StandardOutput.line(text)
            }
            if verbose, !json, let text = outcome.transferText { StandardOutput.line("  \(text)") }
        }
        await setting.pipeline.flush()
        setting.cache?.flush()
        bar.finish()
        if let failure = setting.cache?.failure { StandardError.line("firn: cache: \(failure.message)") }
        var isSheetWritten = true
        if let sheet { isSheetWritten = SheetFile.write(cells, of: items.count, totals: totals, to: sheet) }
        let isRecordWritten = record.write(title: "firn load")
        let statistics = setting.pipeline.statistics
        StandardOutput.line(json ? totals.json(statistics).text : totals.text(statistics))
        if totals.failed > 0 || !isSheetWritten || !isRecordWritten { throw ExitCode.someFailed }
    }

    private func makeFolder(_ path: String) throws {
        do throws(FileError) {
            try LocalFileSystem().createDirectory(path)
        } catch {
            StandardError.line("firn: \(path): cannot make the folder: \(error.reason)")
            throw ExitCode.someFailed
        }
    }
}
