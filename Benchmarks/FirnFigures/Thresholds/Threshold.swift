/// What is asked of a figure, and what was last accepted of it.
package struct Threshold: Sendable, Equatable {
    /// The highest ratio to the peer that is asked for.
    package var ratioAtMost: Double?
    /// The lowest ratio to the peer that is asked for.
    package var ratioAtLeast: Double?
    /// The highest value that is asked for, in the figure's unit.
    package var valueAtMost: Double?
    /// The lowest value that is asked for, in the figure's unit.
    package var valueAtLeast: Double?
    /// The ratio that was accepted.
    package var ratio: Double?
    /// The value that was accepted.
    package var value: Double?
    /// How far the figure goes up and down by itself: 0.1 for a tenth.
    package var tolerance: Double?

    /// What is taken for noise where nothing is said.
    package static let defaultTolerance = 0.15

    /// A threshold that asks nothing.
    package init() {}

    /// Whether a higher figure is a better one; without a limit that says so, it is not.
    package var isHigherBetter: Bool { ratioAtLeast != nil || valueAtLeast != nil }

    /// Whether anything is asked.
    package var isAsked: Bool { (ratioAtMost ?? ratioAtLeast ?? valueAtMost ?? valueAtLeast) != nil }

    /// Whether nothing is asked that the figure has not; a ratio that cannot be said meets nothing.
    package func isMet(by figure: Figure) -> Bool { isMet(ratio: figure.ratio, value: figure.value) }

    /// Whether what was accepted was what is asked; `nil` if nothing was accepted.
    package var wasMet: Bool? {
        guard ratio != nil || value != nil else { return nil }
        return isMet(ratio: ratio, value: value)
    }

    /// The limits in words: `≤ 0.75 ×`, `≤ 1.3 ×, ≤ 15 µs`; empty if nothing is asked.
    package func asked(unit: String) -> String {
        let limits = [
            ("≤", ratioAtMost, "×"), ("≥", ratioAtLeast, "×"), ("≤", valueAtMost, unit), ("≥", valueAtLeast, unit),
        ]
        return limits.compactMap { sign, limit, unit in
            limit.map { "\(sign) \(NumberText.short($0))\(unit.isEmpty ? "" : " ")\(unit)" }
        }.joined(separator: ", ")
    }

    /// The same threshold with what was measured as what is accepted.
    package func accepting(_ figure: Figure) -> Threshold {
        var accepted = self
        accepted.ratio = figure.ratio.map(NumberText.significant)
        accepted.value = figure.value.isFinite ? NumberText.significant(figure.value) : nil
        accepted.tolerance = tolerance ?? Threshold.defaultTolerance
        return accepted
    }

    private func isMet(ratio: Double?, value: Double?) -> Bool {
        // What was not measured is as far from the limit as can be.
        if let ratioAtMost, !((ratio ?? .infinity) <= ratioAtMost) { return false }
        if let ratioAtLeast, !((ratio ?? -.infinity) >= ratioAtLeast) { return false }
        if let valueAtMost, !((value ?? .infinity) <= valueAtMost) { return false }
        if let valueAtLeast, !((value ?? -.infinity) >= valueAtLeast) { return false }
        return true
    }
}
