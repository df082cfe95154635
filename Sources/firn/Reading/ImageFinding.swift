import FirnReport

/// What a command found out about one source, or made of it.
protocol ImageFinding: Sendable {
    /// What stands behind `path` in a line of JSON. The fields are a contract; scripts depend on names and order.
    var fields: [(name: String, value: JSONValue)] { get }

    /// What people read.
    func lines(_ name: String) -> [String]

    /// The columns of a table. Default: none, for commands that print no table.
    static var columns: [TextTable.Column] { get }

    /// The cells of a table's row.
    func cells(_ name: String) -> [String]
}

extension ImageFinding {
    static var columns: [TextTable.Column] { [] }

    func cells(_ name: String) -> [String] { [] }
}
