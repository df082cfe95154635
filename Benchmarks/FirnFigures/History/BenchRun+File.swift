import FirnReport
package import FoundationEssentials

/// The file is JSON with one line for each figure. `null` stands for values that JSON cannot represent.
extension BenchRun: Decodable {
    /// The version of the file format.
    private static let format = 1

    private enum Key: String, CodingKey {
        case format, commit, changed, date, machine, rounds, only, seconds, figures
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        let format = try fields.decode(Int.self, forKey: .format)
        guard format == BenchRun.format else {
            throw DecodingError.dataCorruptedError(
                forKey: .format, in: fields, debugDescription: "the form \(format); only \(BenchRun.format) is known")
        }
        self.init(
            commit: try fields.decode(String.self, forKey: .commit),
            isChanged: try fields.decode(Bool.self, forKey: .changed),
            date: try fields.decode(String.self, forKey: .date),
            machine: try fields.decode(BenchMachine.self, forKey: .machine),
            rounds: try fields.decode(Int.self, forKey: .rounds), only: try fields.decode([String].self, forKey: .only),
            seconds: try fields.decode(Double.self, forKey: .seconds),
            figures: try fields.decode([Figure].self, forKey: .figures))
    }

    /// Reads a file's content.
    ///
    /// - Throws: ``FigureFileError`` if the content is not JSON, or if a field is missing or has the wrong type.
    package init(_ data: Data, path: String) throws(FigureFileError) {
        self = try FigureJSON.decode(BenchRun.self, data, path: path)
    }

    /// The file's content.
    package var text: String {
        let head: [(String, JSONValue)] = [
            ("format", .int(BenchRun.format)), ("commit", .string(commit)), ("changed", .bool(isChanged)),
            ("date", .string(date)),
            (
                "machine",
                .object([
                    ("processor", .string(machine.processor)), ("cores", .int(machine.cores)),
                    ("kernel", .string(machine.kernel)),
                ])
            ),
            ("rounds", .int(rounds)), ("only", .array(only.map { .string($0) })),
            ("seconds", .double(NumberText.significant(seconds))),
        ]
        let lines = head.map { "\"\($0.0)\":\($0.1.text),\n" }.joined()
        let figures = figures.map { BenchRun.value($0).text }.joined(separator: ",\n")
        return "{\n\(lines)\"figures\":[\n\(figures)\n]}\n"
    }

    private static func value(_ figure: Figure) -> JSONValue {
        var fields: [(name: String, value: JSONValue)] = [
            ("name", .string(figure.name)), ("value", .double(NumberText.significant(figure.value))),
            ("unit", .string(figure.unit)),
        ]
        if let peer = figure.peer { fields.append(("peer", .string(peer))) }
        if let value = figure.peerValue { fields.append(("peerValue", .double(NumberText.significant(value)))) }
        if let ratio = figure.ratio { fields.append(("ratio", .double(NumberText.significant(ratio)))) }
        if !figure.note.isEmpty { fields.append(("note", .string(figure.note))) }
        return .object(fields)
    }
}
