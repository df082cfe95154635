/// What is asked and accepted of every figure, by its name: the one place where limits stand.
package struct Thresholds: Sendable, Equatable {
    /// By the figures' names.
    package private(set) var entries: [String: Threshold]

    /// What is asked of the figures named.
    package init(_ entries: [String: Threshold] = [:]) { self.entries = entries }

    /// What is asked of a figure; `nil` if it is new.
    package subscript(name: String) -> Threshold? { entries[name] }

    /// All names, sorted.
    package var names: [String] { entries.keys.sorted() }

    /// Takes what was measured for what is accepted; limits, tolerances and figures that were not measured stay.
    package mutating func accept(_ figures: [Figure]) {
        for figure in figures { entries[figure.name] = (entries[figure.name] ?? Threshold()).accepting(figure) }
    }
}
