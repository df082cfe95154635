/// All runs that were kept, oldest first.
package struct RunHistory: Sendable, Equatable {
    package private(set) var runs: [BenchRun] = []

    /// The runs in any order.
    package init(_ runs: [BenchRun] = []) {
        for run in runs { add(run) }
    }

    /// Puts a run where its date says.
    package mutating func add(_ run: BenchRun) {
        let place = runs.lastIndex { $0.date <= run.date }.map { $0 + 1 } ?? 0
        runs.insert(run, at: place)
    }

    /// The newest figure of every name, in the order in which the parts and figures came up.
    ///
    /// - Parameter isKnown: whether a figure is still one; what only older runs had and nobody knows is left out.
    package func newest(isKnown: (String) -> Bool = { _ in true }) -> [Figure] {
        var order: [String] = []
        var newest: [String: Figure] = [:]
        for run in runs {
            for figure in run.figures where newest.updateValue(figure, forKey: figure.name) == nil {
                order.append(figure.name)
            }
        }
        let last = Set(runs.last?.figures.map(\.name) ?? [])
        let figures = order.compactMap { newest[$0] }.filter { last.contains($0.name) || isKnown($0.name) }
        // A part whose figures came up in several runs stays together.
        var parts: [String] = []
        for figure in figures where !parts.contains(figure.part) { parts.append(figure.part) }
        return parts.flatMap { part in figures.filter { $0.part == part } }
    }

    /// What a figure was in a run.
    package struct Point: Sendable, Equatable {
        /// The number of the run, from 0.
        package let run: Int
        /// The figure's ratio, or its value if it has no peer.
        package let amount: Double
        /// Whether what was measured was no commit.
        package let isChanged: Bool
    }

    /// How a figure went, oldest first; runs without it are left out.
    package func course(of name: String) -> [Point] {
        runs.enumerated().compactMap { number, run in
            guard let figure = run.figures.first(where: { $0.name == name }) else { return nil }
            let amount = figure.peer == nil ? figure.value : figure.ratio
            guard let amount, amount.isFinite else { return nil }
            return Point(run: number, amount: amount, isChanged: run.isChanged)
        }
    }
}
