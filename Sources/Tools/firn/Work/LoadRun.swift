/// A batch of `firn load` or `firn thumbnail`, from its sources to its summary.
struct LoadRun: Sendable {
    /// The name of the batch in its progress bar.
    let title: String
    let sources: SourceList
    let setting: LoadEnvironment
    let options: SourceOptions
    let report: ReportOptions
    /// True if the times of each transfer are printed.
    let isVerbose: Bool
    let jobs: Int
    /// The part of every image; `nil` for all of it.
    var region: ImageRegion?
    /// The target size; `nil` for all pixels.
    var size: SizeArgument?
    /// The factor of the size of drawings; `nil` for 1.
    var drawingFactor: Double?
    /// The meaning of a size with both sides.
    var mode = ImageContentMode.fit
    var processors: [any ImageProcessing] = []
    /// The output; `nil` to write no images.
    var output: ImageOutput?
    /// The file of the contact sheet; `nil` for no sheet.
    var sheet: String?
    var record = LoadRecord()
    /// True if a truncated or damaged image is decoded as far as possible. Default: false.
    var allowsPartial = false
    /// The desktop's thumbnail store and the size; `nil` to write ``output``.
    var desktop: (store: ThumbnailStore, size: ThumbnailStore.Size)?

    /// The maximum number of cells of a contact sheet; few programs open larger sheets.
    private static let mostCells = 400

    /// The size of a contact sheet's cell; `nil` for no sheet.
    var cellSize: PixelSize? {
        sheet.map { _ in SheetLayout(count: min(sources.items.count, LoadRun.mostCells)).imageSize }
    }

    /// - Throws: `ExitCode` if some input failed or something could not be written. The reason was reported.
    func run() async throws {
        let places = output?.places ?? OutputPlaces(sources, purpose: "")
        for path in [record.trace, record.metrics, sheet].compactMap(\.self) where places.isSource(path) {
            throw ExitCode.reported("\(path): is a source and is not written over; choose another name")
        }
        let pipeline = setting.pipeline
        let inquiry = SignalHandler(printing: pipeline)
        defer { withExtendedLifetime(inquiry) {} }
        let items = sources.items
        let isPiped = output?.target.isStandardOutput == true
        let form = isPiped ? .nothing : report.form
        let bar = ProgressBar(title, total: items.count, isShown: report.quiet || isPiped ? false : nil)
        let interruption = SignalHandler(cleanUp: { bar.finish() })
        defer { withExtendedLifetime(interruption) {} }

        var totals = LoadTotals(leftOut: sources.leftOut)
        var cells: [ContactSheet.Cell] = []
        let isBarShown = Terminal().isInteractive && Terminal(descriptor: 1).isInteractive
        let stems = output?.stems(for: sources)
        try? await SourceBatch(
            items: items, form: form == .lines && isBarShown ? .nothing : form, jobs: jobs,
            redaction: options.redaction, bar: bar, sourceField: "source"
        ).run { source, name, index in
            defer { bar.setBytes(pipeline.statistics.bytesLoaded) }
            return try await finding(of: source, name, stem: stems?[index])
        } printed: { outcome in
            totals.count(outcome.result)
            if sheet != nil, cells.count < LoadRun.mostCells { cells.append(cell(outcome)) }
            if isVerbose, form == .lines, let metrics = try? outcome.result.get().load?.metrics {
                StandardOutput.line("  \(metrics.text)")
            }
        }
        await pipeline.flush()
        bar.finish()
        setting.finish()
        let isSheetWritten = sheet.map { write(cells, totals, to: $0) } ?? true
        let isRecordWritten = record.write(showsQueries: options.showQueries)
        if form != .nothing {
            let background = output?.background.description ?? ""
            let statistics = pipeline.statistics
            StandardOutput.line(
                form == .json ? totals.json(statistics).text : totals.text(statistics, background: background))
        }
        let isFine = totals.failed == 0 && totals.incomplete == 0 && isSheetWritten && isRecordWritten
        if !isFine { throw ExitCode.someFailed }
    }

    /// Draws and writes the contact sheet.
    private func write(_ cells: [ContactSheet.Cell], _ totals: LoadTotals, to path: String) -> Bool {
        guard !cells.isEmpty else { return true }
        var title = "\(totals.loaded) images"
        if totals.failed > 0 { title += ", \(totals.failed) failed" }
        if cells.count < sources.items.count { title += " (the first \(cells.count) are shown)" }
        return LoadRecord.put(path, failure: "cannot write the sheet") {
            try (OutputFormat(path: path) ?? .png).encode(ContactSheet.draw(title: title, cells: cells))
        }
    }

    private func cell(_ outcome: SourceBatch.Outcome) -> ContactSheet.Cell {
        let source = outcome.source
        switch outcome.result {
        case .failure(let fault):
            let label =
                source.failure == nil ? source.label : PathText.split(source.jsonName(options.redaction)).name
            return ContactSheet.Cell(label: label, detail: "not loaded", content: .failure(fault.message))
        case .success(let finding):
            return ContactSheet.Cell(
                label: source.label, detail: finding.load?.facts.joined(separator: "  ") ?? "",
                content: finding.load?.cell.map { .image($0) } ?? .failure("no image"))
        }
    }
}

extension TransferMetrics {
    /// The metrics in one line.
    fileprivate var text: String {
        func time(_ name: String, _ time: Duration?) -> String? { time.map { "\(name) \(DurationText.text($0))" } }
        let parts = [
            networkProtocol ?? "transfer", time("look-up", lookup), isConnectionReused ? "connection used again" : nil,
            time("connection", connect), time("TLS", secure), time("first byte after", firstByte),
            time("in all", total),
            "\(ByteText.text(bytesReceived)) received",
            bytesReceived != bytesDelivered ? "\(ByteText.text(bytesDelivered)) unpacked" : nil,
            redirects > 0 ? "\(redirects) redirects" : nil, attempts > 1 ? "\(attempts) attempts" : nil,
            remoteAddress.map { "from \($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    var json: JSONValue {
        func time(_ value: Duration?) -> JSONValue? { value.map { JSONValue(milliseconds: $0) } }
        return [
            "lookupMs": time(lookup), "connectMs": time(connect), "tlsMs": time(secure),
            "firstByteMs": time(firstByte), "totalMs": time(total), "received": bytesReceived,
            "delivered": bytesDelivered, "reused": isConnectionReused, "protocol": networkProtocol,
            "address": remoteAddress, "redirects": redirects, "attempts": attempts,
        ]
    }
}
