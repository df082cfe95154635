import Firn
import FirnReport

/// Prints what is found out about sources: one object of JSON each, or lines, or a table, and faults where people look for them.
struct ImageReports {
    /// How findings are printed.
    enum Form {
        case lines, json, table
        /// Only faults are.
        case nothing
    }

    let form: Form
    var redaction = AddressRedaction()

    /// Looks at several sources at a time and prints in their order.
    ///
    /// - Parameter find: what to do with a source and its index; called on several threads.
    /// - Returns: whether no source failed.
    func print<Finding: ImageFinding>(
        _ items: [SourceList.Item], _ find: @escaping @Sendable (LoadSource, Int) throws(ImageFault) -> Finding
    ) -> Bool {
        var isFine = true
        var table = TextTable(Finding.columns)
        OrderedWork.run(count: items.count, threads: Machine.cores) { [redaction] index in
            switch items[index] {
            case .failure(let name, let reason):
                let name = redaction.address(name)
                return Outcome(name: name, jsonName: name, result: .failure(ImageFault("source", reason)))
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
            case .success(let finding): show(finding, outcome, in: &table)
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
        switch form {
        case .json:
            StandardOutput.line(JSONValue.object([("path", .string(outcome.jsonName))] + finding.fields).text)
        case .lines: finding.lines(outcome.name).forEach(StandardOutput.line)
        // A cell is measured as it is shown.
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
