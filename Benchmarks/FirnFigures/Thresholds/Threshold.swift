/// The limits of a figure, and its last accepted amounts.
package struct Threshold: Sendable, Equatable {
    /// The highest acceptable ratio to the peer.
    package var ratioAtMost: Double?
    /// The lowest acceptable ratio to the peer.
    package var ratioAtLeast: Double?
    /// The highest acceptable value, in the figure's unit.
    package var valueAtMost: Double?
    /// The lowest acceptable value, in the figure's unit.
    package var valueAtLeast: Double?
    /// The accepted ratio.
    package var ratio: Double?
    /// The accepted value.
    package var value: Double?
    /// The noise of the figure, upwards and downwards, as a share: 0.1 for a tenth.
    package var tolerance: Double?

    /// The noise of figures without a tolerance of their own.
    package static let defaultTolerance = 0.15

    /// Creates a threshold without limits.
    package init() {}

    /// True if higher figures are better; no if no limit says so.
    package var isHigherBetter: Bool { ratioAtLeast != nil || valueAtLeast != nil }

    /// True if there is a limit.
    package var isAsked: Bool { (ratioAtMost ?? ratioAtLeast ?? valueAtMost ?? valueAtLeast) != nil }

    /// Returns whether the figure meets all limits; without a ratio it meets no limit of the ratio.
    package func isMet(by figure: Figure) -> Bool { isMet(ratio: figure.ratio, value: figure.value) }

    /// True if the accepted amounts met the limits; `nil` if nothing was accepted.
    package var wasMet: Bool? {
        guard ratio != nil || value != nil else { return nil }
        return isMet(ratio: ratio, value: value)
    }

    /// Returns the limits as text: `≤ 0.75 ×`, `≤ 1.3 ×, ≤ 15 µs`; empty if there are none.
    package func asked(unit: String) -> String {
        let limits = [
            ("≤", ratioAtMost, "×"), ("≥", ratioAtLeast, "×"), ("≤", valueAtMost, unit), ("≥", valueAtLeast, unit),
        ]
        return limits.compactMap { sign, limit, unit in
            limit.map { "\(sign) \(NumberText.short($0))\(unit.isEmpty ? "" : " ")\(unit)" }
        }.joined(separator: ", ")
    }

    /// Returns the threshold with the measured amounts as the accepted ones.
    package func accepting(_ figure: Figure) -> Threshold {
        var accepted = self
        accepted.ratio = figure.ratio.map(NumberText.significant)
        accepted.value = figure.value.isFinite ? NumberText.significant(figure.value) : nil
        accepted.tolerance = tolerance ?? Threshold.defaultTolerance
        return accepted
    }

    private func isMet(ratio: Double?, value: Double?) -> Bool {
        // A missing amount misses every limit.
        if let ratioAtMost, !((ratio ?? .infinity) <= ratioAtMost) { return false }
        if let ratioAtLeast, !((ratio ?? -.infinity) >= ratioAtLeast) { return false }
        if let valueAtMost, !((value ?? .infinity) <= valueAtMost) { return false }
        if let valueAtLeast, !((value ?? -.infinity) >= valueAtLeast) { return false }
        return true
    }
}
