import FirnSync

/// The result of a command for one source.
struct Finding: Sendable {
    /// The fields after the source's name in a line of JSON. Scripts depend on their names and order.
    var fields: JSONValue.Fields
    var lines: [String] = []
    /// The row of a table, for commands that print one.
    var cells: [String] = []
    /// The losses of a conversion, for standard error.
    var warnings: [String] = []
    /// The damage of a source that has a result nevertheless, for standard error; `nil` if it is intact.
    var damage: String?

    // For summaries.

    /// The number of images whose transparent pixels were put on the background.
    var flattened = 0
    /// True if an existing output file was kept.
    var isKept = false
    /// The facts about a loaded image; `nil` if no pipeline loaded it.
    var load: Load?

    struct Load: Sendable {
        /// The number of received bytes of the file.
        let bytes: Int
        let duration: Duration
        let metrics: TransferMetrics?
        let format: String?
        /// The image for a contact sheet; `nil` without a sheet.
        var cell: Bitmap?

        /// The known ones of format, file size and time.
        var facts: [String] {
            [format, bytes > 0 ? ByteText.text(bytes) : nil, DurationText.text(duration)].compactMap(\.self)
        }
    }

    /// Creates the result for a source whose output file exists.
    static func kept(_ path: String, _ name: String) -> Finding {
        Finding(
            fields: JSONValue.fields(["out": path, "kept": true]), lines: ["\(name): \(path) was there and stays"],
            isKept: true)
    }
}

/// Processes the sources of a command concurrently and prints the results in the order of the sources, as JSON objects,
/// lines or a table, with failures on standard error.
struct SourceBatch {
    enum Form {
        case lines, json, table
        /// Failures only.
        case nothing
    }

    struct Outcome: Sendable {
        let source: LoadSource
        /// The source as given, without secrets.
        let name: String
        let result: Result<Finding, ImageFault>

        fileprivate func line(_ fault: ImageFault) -> String { "firn: \(name): \(fault.message)" }
    }

    let items: [LoadSource]
    let form: Form
    /// The maximum number of concurrent sources; `nil` for the number of cores.
    var jobs: Int?
    var redaction = AddressRedaction()
    /// The progress bar. With one, failures are printed immediately.
    var bar: ProgressBar?
    /// The field of the source's name in JSON.
    var sourceField = "path"
    /// The columns of a table.
    var columns: [TextTable.Column] = []

    /// Processes all sources.
    ///
    /// - Parameters:
    ///   - work: called concurrently with each source, its name for messages, and its index.
    ///   - printed: called with each outcome in order, after it was printed.
    /// - Throws: `ExitCode` if a source failed or is damaged. The reason was reported.
    func run(
        _ work: @escaping @Sendable (LoadSource, String, Int) async throws -> Finding,
        printed: (Outcome) -> Void = { _ in }
    ) async throws {
        var isFine = true
        var table = TextTable(columns)
        var waiting: [Int: Outcome] = [:]
        var (next, running, delivered) = (0, 0, 0)
        let jobs = jobs ?? Machine.cores
        await withTaskGroup(of: (Int, Outcome).self) { group in
            while next < items.count || running > 0 {
                // Outcomes that wait for an earlier one use memory, so their number is limited.
                while next < items.count, running < jobs, next - delivered < jobs * 8 {
                    group.addTask { [source = items[next], next, redaction] in
                        let name = source.shownName(redaction)
                        do {
                            if let reason = source.failure { throw ImageFault("source", reason) }
                            let finding = try await work(source, name, next)
                            return (next, Outcome(source: source, name: name, result: .success(finding)))
                        } catch {
                            let fault = ImageFault(error, redaction, isListed: source.isListed)
                            return (next, Outcome(source: source, name: name, result: .failure(fault)))
                        }
                    }
                    next += 1
                    running += 1
                }
                guard let (index, outcome) = await group.next() else { break }
                running -= 1
                if let bar {
                    let fault: ImageFault? = if case .failure(let fault) = outcome.result { fault } else { nil }
                    if let fault, form != .json { bar.note(outcome.line(fault)) }
                    bar.advance(failed: fault == nil ? 0 : 1)
                }
                waiting[index] = outcome
                while let ready = waiting.removeValue(forKey: delivered) {
                    if !show(ready, in: &table) { isFine = false }
                    printed(ready)
                    delivered += 1
                }
            }
        }
        if form == .table, !table.rows.isEmpty { table.lines.forEach(StandardOutput.line) }
        if !isFine { throw ExitCode.someFailed }
    }

    /// Prints an outcome and returns whether it is intact.
    private func show(_ outcome: Outcome, in table: inout TextTable) -> Bool {
        func printObject(_ fields: JSONValue.Fields) {
            let name = JSONValue.string(outcome.source.jsonName(redaction))
            StandardOutput.line(JSONValue.object([(sourceField, name)] + fields).text)
        }
        switch outcome.result {
        case .failure(let fault):
            if form == .json {
                printObject([("error", fault.json)])
            } else if bar == nil {
                StandardError.line(outcome.line(fault))
            }
            return false
        case .success(let finding):
            if let damage = finding.damage { StandardError.line("firn: \(outcome.name): \(damage)") }
            for warning in finding.warnings { StandardError.line("firn: \(outcome.name): warning: \(warning)") }
            switch form {
            case .json: printObject(finding.fields)
            case .lines: finding.lines.forEach(StandardOutput.line)
            // The width of a cell is that of its escaped text.
            case .table: table.append(finding.cells.map(TerminalText.escaped))
            case .nothing: break
            }
            return finding.damage == nil
        }
    }
}

extension ReportOptions {
    /// The form of the output of a command without tables.
    var form: SourceBatch.Form { json ? .json : quiet ? .nothing : .lines }
}
