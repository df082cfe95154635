/// A table of text for a terminal: aligned columns with a rule under the header.
package struct TextTable: Sendable {
    package enum Alignment: Sendable {
        /// For names.
        case left
        /// For numbers.
        case right
    }

    package struct Column: Sendable {
        /// The header's lines, top first: usually the name, then the unit.
        package var title: [String]
        package var alignment: Alignment

        package init(_ title: String..., alignment: Alignment = .right) {
            self.title = title
            self.alignment = alignment
        }
    }

    package let columns: [Column]
    package private(set) var rows: [[String]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// Appends a row. Missing cells become empty; excess cells are dropped.
    package mutating func append(_ cells: [String]) {
        rows.append(columns.indices.map { $0 < cells.count ? cells[$0] : "" })
    }

    /// The lines of the table, without trailing spaces.
    package var lines: [String] {
        let depth = columns.map(\.title.count).max() ?? 0
        // Titles are at the bottom, next to the rule.
        let titles = columns.map { Array(repeating: "", count: depth - $0.title.count) + $0.title }
        let header = (0..<depth).map { line in titles.map { $0[line] } }
        let widths = columns.indices.map { index in
            (header + rows).map { TerminalText.columns($0[index]) }.max() ?? 0
        }
        let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
        return header.map { joined($0, widths) } + [rule] + rows.map { joined($0, widths) }
    }

    private func joined(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += "  " }
            let padding = String(repeating: " ", count: max(0, widths[index] - TerminalText.columns(cell)))
            line += columns[index].alignment == .left ? cell + padding : padding + cell
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
