import FirnReport

/// Prints figures as aligned text.
package enum FigureTable {
    /// Returns a line for each figure: value, peer, ratio, limits, and whether the limits are met.
    package static func text(_ figures: [Figure], _ thresholds: Thresholds) -> String {
        var table = TextTable(
            ["figure", "value", "against", "ratio", "asked", ""].map { TextTable.Column($0, alignment: .left) })
        for figure in figures { table.append(row(figure, thresholds[figure.name])) }
        return table.lines.joined(separator: "\n")
    }

    private static func row(_ figure: Figure, _ threshold: Threshold?) -> [String] {
        let asked = threshold?.asked(unit: figure.unit) ?? ""
        let verdict = threshold.map { $0.isAsked ? ($0.isMet(by: figure) ? "met" : "missed") : "" } ?? "new"
        return [
            figure.name, "\(NumberText.short(figure.value)) \(figure.unit)", figure.againstText,
            figure.ratio.map { "\(NumberText.short($0)) ×" } ?? "", asked, verdict,
        ]
    }
}
