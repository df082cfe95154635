/// How the figures of a run stand to what is asked and to what was accepted.
package struct Comparison: Sendable, Equatable {
    /// A figure that went further than it does by itself.
    package struct Move: Sendable, Equatable {
        package let name: String
        package let isBetter: Bool
        /// As it is now and as it was accepted: ratios, or values of a figure without a peer.
        package let now: Double
        package let accepted: Double
        /// What both are followed by.
        package let unit: String
        package let tolerance: Double
    }

    /// A limit that is met now and was not, or the other way round.
    package struct Crossing: Sendable, Equatable {
        package let name: String
        package let isMet: Bool
        package let now: String
        package let asked: String
        /// Whether the figure moved no further than it does by itself.
        package let isNoise: Bool
    }

    /// What moved, as it was measured.
    package private(set) var moves: [Move] = []
    /// Limits that are newly missed or met.
    package private(set) var crossings: [Crossing] = []
    /// Figures that nothing was accepted of.
    package private(set) var new: [String] = []
    /// Figures that were asked for and that nothing was measured of.
    package private(set) var absent: [String] = []
    /// How many have limits, and how many of them are missed.
    package private(set) var asked = 0
    package private(set) var missed = 0

    /// Compares figures with what is asked of them.
    ///
    /// - Parameter isWanted: whether a figure of this name was to be measured.
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

    /// Whether something is worse than was accepted, or a limit is missed that was met.
    package var isWorse: Bool { moves.contains { !$0.isBetter } || crossings.contains { !$0.isMet } }

    private mutating func count(_ figure: Figure, _ threshold: Threshold) {
        guard threshold.isAsked else { return }
        asked += 1
        if !threshold.isMet(by: figure) { missed += 1 }
    }

    /// Up and down count alike: twice as much moved as far as half as much.
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
    /// The ratio and the value in words.
    package var amountText: String {
        let own = "\(NumberText.short(value))\(unit.isEmpty ? "" : " ")\(unit)"
        return ratio.map { "\(NumberText.short($0)) ×, \(own)" } ?? own
    }

    /// What it is measured against, in words.
    package var againstText: String {
        let against = peer.map { name in
            let other = peerValue.map { " \(NumberText.short($0))\(unit.isEmpty ? "" : " ")\(unit)" } ?? ""
            return "\(name)\(other)"
        }
        return [against, note.isEmpty ? nil : note].compactMap { $0 }.joined(separator: "; ")
    }
}
