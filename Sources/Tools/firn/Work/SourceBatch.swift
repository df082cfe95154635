import Firn
import FirnReport
import FirnSync

/// The result of a command for one source.
protocol ImageFinding: Sendable {
    /// The field of the source's name in JSON. Default: `path`.
    static var sourceField: String { get }

    /// The fields after the source's name in a line of JSON. Scripts depend on their names and order.
    var fields: [(name: String, value: JSONValue)] { get }

    func lines(_ name: String) -> [String]

    /// The sources that were left out, for standard error. Default: nothing.
    var warnings: [String] { get }

    /// The damage of a source that has a result all the same, for standard error; `nil` (the default) if it is whole.
    var damage: String? { get }

    /// The columns of a table. Default: none, for commands without a table.
    static var columns: [TextTable.Column] { get }

    func cells(_ name: String) -> [String]
}

extension ImageFinding {
    static var sourceField: String { "path" }
    var warnings: [String] { [] }
    var damage: String? { nil }
    static var columns: [TextTable.Column] { [] }

    func cells(_ name: String) -> [String] { [] }
}

/// Works on the sources of a command, several at once, and prints the results in the order of the sources: as JSON
/// objects, lines or a table, and failures on standard error.
struct SourceBatch {
    enum Form {
        case lines, json, table
        /// Failures only.
        case nothing
    }

    struct Outcome<Finding: ImageFinding>: Sendable {
        /// The source for messages: as given, without secrets.
        let name: String
        let jsonName: String
        let label: String
        let result: Result<Finding, ImageFault>
    }

    let items: [SourceList.Item]
    let form: Form
    /// The number of sources that are worked on at once; `nil` for the number of cores.
    var jobs: Int?
    var redaction = AddressRedaction()
    /// The bar that counts the sources. With one, a failure is printed as soon as it is known.
    var bar: ProgressBar?

    /// Works on all sources.
    ///
    /// - Parameters:
    ///   - work: called with each source and its index, several at once.
    ///   - printed: called with each outcome, in order, after it was printed.
    /// - Returns: whether no source failed or is damaged.
    func run<Finding: ImageFinding>(
        _ work: @escaping @Sendable (LoadSource, Int) async throws -> Finding,
        printed: (Outcome<Finding>) -> Void = { _ in }
    ) async -> Bool {
        var isFine = true
        var table = TextTable(Finding.columns)
        var waiting: [Int: Outcome<Finding>] = [:]
        var (next, running, delivered) = (0, 0, 0)
        let jobs = jobs ?? Machine.cores
        await withTaskGroup(of: (Int, Outcome<Finding>).self) { group in
            while next < items.count || running > 0 {
                // Outcomes that wait for an earlier one hold memory: they count like running work, up to a limit.
                while next < items.count, running < jobs, next - delivered < jobs * 8 {
                    group.addTask { [item = items[next], next, redaction] in
                        (next, await SourceBatch.outcome(of: item, redaction) { try await work($0, next) })
                    }
                    next += 1
                    running += 1
                }
                guard let (index, outcome) = await group.next() else { break }
                running -= 1
                if let bar {
                    if outcome.fault != nil, form != .json { bar.note(outcome.failureLine) }
                    bar.advance(failed: outcome.fault == nil ? 0 : 1)
                }
                waiting[index] = outcome
                while let ready = waiting.removeValue(forKey: delivered) {
                    if !show(ready, in: &table) { isFine = false }
                    printed(ready)
                    delivered += 1
                }
            }
        }
        if case .table = form, !table.rows.isEmpty { table.lines.forEach(StandardOutput.line) }
        return isFine
    }

    private static func outcome<Finding: ImageFinding>(
        of item: SourceList.Item, _ redaction: AddressRedaction, _ work: (LoadSource) async throws -> Finding
    ) async -> Outcome<Finding> {
        switch item {
        case .failure(let name, let reason):
            let name = redaction.address(name)
            return Outcome(
                name: QuotedText.of(name), jsonName: name, label: PathText.split(name).name,
                result: .failure(ImageFault("source", reason)))
        case .source(let source):
            let result: Result<Finding, ImageFault>
            do { result = .success(try await work(source)) } catch { result = .failure(ImageFault(error, redaction)) }
            return Outcome(
                name: source.shownName(redaction), jsonName: source.jsonName(redaction), label: source.label,
                result: result)
        }
    }

    /// Prints an outcome, and returns whether it is neither a failure nor damaged.
    private func show<Finding: ImageFinding>(_ outcome: Outcome<Finding>, in table: inout TextTable) -> Bool {
        func printObject(_ fields: [(name: String, value: JSONValue)]) {
            StandardOutput.line(JSONValue.object([(Finding.sourceField, .string(outcome.jsonName))] + fields).text)
        }
        switch outcome.result {
        case .failure(let fault):
            if case .json = form {
                printObject([("error", fault.json)])
            } else if bar == nil {
                StandardError.line(outcome.failureLine)
            }
            return false
        case .success(let finding):
            if let damage = finding.damage { StandardError.line("firn: \(outcome.name): \(damage)") }
            for warning in finding.warnings { StandardError.line("firn: \(outcome.name): warning: \(warning)") }
            switch form {
            case .json: printObject(finding.fields)
            case .lines: finding.lines(outcome.name).forEach(StandardOutput.line)
            // A cell's width is that of its escaped text.
            case .table: table.append(finding.cells(outcome.name).map(TerminalText.escaped))
            case .nothing: break
            }
            return finding.damage == nil
        }
    }
}

extension SourceBatch.Outcome {
    /// The reason why there is no result; `nil` if there is one.
    var fault: ImageFault? { if case .failure(let fault) = result { fault } else { nil } }

    fileprivate var failureLine: String { "firn: \(name): \(fault?.message ?? "")" }
}
