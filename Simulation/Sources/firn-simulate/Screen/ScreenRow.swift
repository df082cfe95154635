/// A measured value and its bound.
struct ScreenRow: CustomStringConvertible {
    let name: String
    let value: Double
    let bound: Double
    let isUpper: Bool
    let note: String
    /// A failed check during the run.
    var problem: String?

    var isMet: Bool { problem == nil && (isUpper ? value <= bound : value >= bound) }

    var description: String {
        let text = name.count < 76 ? name + String(repeating: " ", count: 76 - name.count) : name
        let verdict = isMet ? "" : " MISSED"
        return "\(text) \(digits(value)) (\(isUpper ? "≤" : "≥") \(digits(bound)))\(verdict); \(problem ?? note)"
    }

    private func digits(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
}

/// Quantiles of measured values.
enum Quantile {
    /// The value below which a share of the values lie.
    static func of(_ values: [Double], _ share: Double) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }
}
