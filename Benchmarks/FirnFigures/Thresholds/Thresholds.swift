/// The limits and accepted amounts of all figures, by name: the one place that stores limits.
package struct Thresholds: Sendable, Equatable {
    /// The thresholds by the figures' names.
    package private(set) var entries: [String: Threshold]

    /// Creates thresholds by name.
    package init(_ entries: [String: Threshold] = [:]) { self.entries = entries }

    /// Returns the threshold of a figure; `nil` if the figure is new.
    package subscript(name: String) -> Threshold? { entries[name] }

    /// All names, sorted.
    package var names: [String] { entries.keys.sorted() }

    /// Stores measured amounts as the accepted ones; limits, tolerances and figures that were not measured stay the
    /// same.
    package mutating func accept(_ figures: [Figure]) {
        for figure in figures { entries[figure.name] = (entries[figure.name] ?? Threshold()).accepting(figure) }
    }
}
