/// A figure and what it is held to.
struct ScreenRow: CustomStringConvertible {
    let name: String
    let value: Double
    let bound: Double
    let isUpper: Bool
    let note: String

    var isMet: Bool { isUpper ? value <= bound : value >= bound }

    var description: String {
        let text = name.count < 60 ? name + String(repeating: " ", count: 60 - name.count) : name
        return "\(text) \(digits(value)) (\(isUpper ? "≤" : "≥") \(digits(bound)))\(isMet ? "" : " MISSED"); \(note)"
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
