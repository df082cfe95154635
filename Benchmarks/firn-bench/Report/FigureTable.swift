/// Prints figures as aligned text.
enum FigureTable {
    static func text(_ figures: [Figure]) -> String {
        let rows = [["figure", "value", "against", "ratio", "asked", ""]] + figures.map(row)
        let widths = (0..<6).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { $1 + String(repeating: " ", count: widths[$0] - $1.count) }
                .joined(separator: "  ")
        }.joined(separator: "\n")
    }

    private static func row(_ figure: Figure) -> [String] {
        let asked =
            switch figure.limit {
            case .value(let limit): "≤ \(limit) \(figure.unit)"
            case .ratio(let limit): "≤ \(limit) ×"
            case nil: ""
            }
        return [
            figure.name, "\(rounded(figure.value)) \(figure.unit)", figure.against, "\(rounded(figure.ratio)) ×", asked,
            figure.isMet ? "met" : "missed",
        ]
    }

    /// Three digits behind the point at the most.
    static func rounded(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
}
