import Firn
import FirnReport
import FirnSync

/// Prints the results for sources as JSON objects, lines or a table, and failures on standard error.
struct ImageReports {
    /// The form of the output.
    enum Form {
        case lines, json, table
        /// Failures only.
        case nothing
    }

    let form: Form
    /// The number of sources that are processed at once; `nil` for the number of cores.
    var jobs: Int?
    var redaction = AddressRedaction()

    /// Processes several sources at once and prints results in order.
    ///
    /// - Parameter find: processes the source with an index. Called on several threads.
    /// - Returns: whether no source failed or is damaged.
    func print<Finding: ImageFinding>(
        _ items: [SourceList.Item], _ find: @escaping @Sendable (LoadSource, Int) throws(ImageFault) -> Finding
    ) -> Bool {
        var isFine = true
        var table = TextTable(Finding.columns)
        OrderedWork.run(count: items.count, threads: jobs ?? Machine.cores) { [redaction] index in
            switch items[index] {
            case .failure(let name, let reason):
                let name = redaction.address(name)
                return Outcome(
                    name: QuotedText.of(name), jsonName: name, result: .failure(ImageFault("source", reason)))
            case .source(let source):
                let result: Result<Finding, ImageFault>
                do throws(ImageFault) { result = .success(try find(source, index)) } catch {
                    result = .failure(error)
                }
                return Outcome(
                    name: source.shownName(redaction), jsonName: source.jsonName(redaction), result: result)
            }
        } deliver: { (outcome: Outcome<Finding>) in
            switch outcome.result {
            case .success(let finding):
                if finding.damage != nil { isFine = false }
                show(finding, outcome, in: &table)
            case .failure(let fault):
                isFine = false
                if case .json = form {
                    StandardOutput.line(
                        JSONValue.object([("path", .string(outcome.jsonName)), ("error", fault.json)]).text)
                } else {
                    StandardError.line("firn: \(outcome.name): \(fault.message)")
                }
            }
        }
        if case .table = form, !table.rows.isEmpty { table.lines.forEach(StandardOutput.line) }
        return isFine
    }

    private func show<Finding: ImageFinding>(
        _ finding: Finding, _ outcome: Outcome<Finding>, in table: inout TextTable
    ) {
        if let damage = finding.damage { StandardError.line("firn: \(outcome.name): \(damage)") }
        for warning in finding.warnings { StandardError.line("firn: \(outcome.name): warning: \(warning)") }
        switch form {
        case .json:
            StandardOutput.line(JSONValue.object([("path", .string(outcome.jsonName))] + finding.fields).text)
        case .lines: finding.lines(outcome.name).forEach(StandardOutput.line)
        // A cell's width is that of its escaped text.
        case .table: table.append(finding.cells(outcome.name).map(TerminalText.escaped))
        case .nothing: break
        }
    }

    private struct Outcome<Finding: ImageFinding>: Sendable {
        let name: String
        let jsonName: String
        let result: Result<Finding, ImageFault>
    }
}
