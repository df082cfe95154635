import FirnReport

/// The result of a command for one source.
protocol ImageFinding: Sendable {
    /// The fields after `path` in a line of JSON. Scripts depend on their names and order.
    var fields: [(name: String, value: JSONValue)] { get }

    /// Returns the text lines.
    func lines(_ name: String) -> [String]

    /// What was left out, for standard error. Default: nothing.
    var warnings: [String] { get }

    /// The damage of a source that has a result all the same, for standard error; `nil` (the default) if it is whole.
    var damage: String? { get }

    /// The columns of a table. Default: none, for commands without a table.
    static var columns: [TextTable.Column] { get }

    /// Returns the cells of a table's row.
    func cells(_ name: String) -> [String]
}

extension ImageFinding {
    var warnings: [String] { [] }
    var damage: String? { nil }
    static var columns: [TextTable.Column] { [] }

    func cells(_ name: String) -> [String] { [] }
}
