/// Compares the figures of a run with the limits and with the accepted figures.
package struct Comparison: Sendable, Equatable {
    /// A figure that changed by more than its noise.
    package struct Move: Sendable, Equatable {
        package let name: String
        package let isBetter: Bool
        /// The present and the accepted amount: ratios, or values if the figure has no peer.
        package let now: Double
        package let accepted: Double
        /// The unit of both.
        package let unit: String
        package let tolerance: Double
    }

    /// A limit that is newly met or newly missed.
    package struct Crossing: Sendable, Equatable {
        package let name: String
        package let isMet: Bool
        package let now: String
        package let asked: String
        /// True if the change is within the figure's noise.
        package let isNoise: Bool
    }

    /// The moved figures, in the order of measurement.
    package private(set) var moves: [Move] = []
    /// Limits that are newly missed or newly met.
    package private(set) var crossings: [Crossing] = []
    /// Figures without an accepted value.
    package private(set) var new: [String] = []
    /// Figures that have a threshold and were requested, but not measured.
    package private(set) var absent: [String] = []
    /// The number of figures with limits, and the number of those that miss them.
    package private(set) var asked = 0
    package private(set) var missed = 0

    /// Compares figures with their thresholds.
    ///
    /// - Parameter isWanted: whether the figure of this name was to be measured.
    package init(_ figures: [Figure], with thresholds: Thresholds, isWanted: (String) -> Bool = { _ in true }) {
        for figure in figures {
            guard let threshold = thresholds[figure.name], let wasMet = threshold.wasMet else {
                new.append(figure.name)
                if let threshold = thresholds[figure.name] { count(figure, threshold) }
                continue
            }
            let move = Comparison.move(figure, threshold)
            if let move { moves.append(move) }
            count(figure, threshold)
            let isMet = threshold.isMet(by: figure)
            guard isMet != wasMet else { continue }
            crossings.append(
                Crossing(
                    name: figure.name, isMet: isMet, now: figure.amountText, asked: threshold.asked(unit: figure.unit),
                    isNoise: move == nil))
        }
        let measured = Set(figures.map(\.name))
        absent = thresholds.names.filter { isWanted($0) && !measured.contains($0) }
    }

    /// True if a figure is worse than accepted, or a limit is missed that was met.
    package var isWorse: Bool { moves.contains { !$0.isBetter } || crossings.contains { !$0.isMet } }

    private mutating func count(_ figure: Figure, _ threshold: Threshold) {
        guard threshold.isAsked else { return }
        asked += 1
        if !threshold.isMet(by: figure) { missed += 1 }
    }

    /// Compares on a relative scale: doubling counts as much as halving.
    private static func move(_ figure: Figure, _ threshold: Threshold) -> Move? {
        let isRatio = figure.ratio != nil && threshold.ratio != nil
        guard let accepted = isRatio ? threshold.ratio : threshold.value else { return nil }
        let now = isRatio ? figure.ratio ?? figure.value : figure.value
        let tolerance = threshold.tolerance ?? Threshold.defaultTolerance
        let (low, high) = (min(now, accepted), max(now, accepted))
        guard high != low, !(low > 0 && high <= low * (1 + tolerance)) else { return nil }
        return Move(
            name: figure.name, isBetter: (now > accepted) == threshold.isHigherBetter, now: now, accepted: accepted,
            unit: isRatio ? "×" : figure.unit, tolerance: tolerance)
    }
}

extension Figure {
    /// The ratio and the value as text.
    package var amountText: String {
        let own = "\(NumberText.short(value))\(unit.isEmpty ? "" : " ")\(unit)"
        return ratio.map { "\(NumberText.short($0)) ×, \(own)" } ?? own
    }

    /// The peer and its value as text.
    package var againstText: String {
        let against = peer.map { name in
            let other = peerValue.map { " \(NumberText.short($0))\(unit.isEmpty ? "" : " ")\(unit)" } ?? ""
            return "\(name)\(other)"
        }
        return [against, note.isEmpty ? nil : note].compactMap { $0 }.joined(separator: "; ")
    }
}
