/// All stored runs, oldest first.
package struct RunHistory: Sendable, Equatable {
    package private(set) var runs: [BenchRun] = []

    /// Creates a history of runs, given in any order.
    package init(_ runs: [BenchRun] = []) {
        for run in runs { add(run) }
    }

    /// Inserts a run by its date.
    package mutating func add(_ run: BenchRun) {
        let place = runs.lastIndex { $0.date <= run.date }.map { $0 + 1 } ?? 0
        runs.insert(run, at: place)
    }

    /// Returns the newest figure of every name, in the order in which parts and figures first appeared.
    ///
    /// - Parameter isKnown: whether a figure still exists. A figure that is unknown and not in the last run is left
    ///   out.
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
        // Keeps a part together even if its figures first appeared in several runs.
        var parts: [String] = []
        for figure in figures where !parts.contains(figure.part) { parts.append(figure.part) }
        return parts.flatMap { part in figures.filter { $0.part == part } }
    }
}
