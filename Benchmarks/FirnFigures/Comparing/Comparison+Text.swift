/// The text that a run prints below its table.
extension Comparison {
    /// The lines under the headings "moved" and "limits", then new and missing figures.
    package var text: String {
        var lines = ["moved, against what was accepted:"]
        let better = moves.filter(\.isBetter)
        let worse = moves.filter { !$0.isBetter }
        let width = (moves.map(\.name) + crossings.map(\.name)).map(\.count).max() ?? 0
        func padded(_ name: String) -> String { name + String(repeating: " ", count: width - name.count) }
        for (word, moves) in [("worse ", worse), ("better", better)] {
            for move in moves {
                lines.append(
                    "  \(word)  \(padded(move.name))  \(NumberText.short(move.now)) \(move.unit), accepted "
                        + "\(NumberText.short(move.accepted)) (\(change(move)), by itself \(percent(move.tolerance)))")
            }
        }
        if moves.isEmpty { lines.append("  nothing by more than it does by itself") }
        lines.append("limits: \(asked - missed) of \(asked) met")
        for crossing in crossings {
            lines.append(
                "  newly \(crossing.isMet ? "met   " : "missed")  \(padded(crossing.name))  \(crossing.now), asked "
                    + crossing.asked + (crossing.isNoise ? " (it moved no further than by itself)" : ""))
        }
        lines += Comparison.list("new, not accepted yet", new)
        lines += Comparison.list("not measured", absent)
        return lines.joined(separator: "\n")
    }

    private func change(_ move: Move) -> String {
        guard move.accepted != 0 else { return "from nothing" }
        return NumberText.percent(move.now / move.accepted - 1)
    }

    private func percent(_ share: Double) -> String { "\(Int(exactly: (share * 100).rounded()) ?? 100) %" }

    /// Formats a list of names in lines that fit a terminal.
    private static func list(_ title: String, _ names: [String]) -> [String] {
        guard !names.isEmpty else { return [] }
        var lines = ["\(title): \(names.count)"]
        var line = " "
        for name in names {
            if line.count + name.count > 118 {
                lines.append(line)
                line = " "
            }
            line += " \(name)"
        }
        return lines + [line]
    }
}
