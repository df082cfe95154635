extension ViewportTracker {
    /// How the cells of a list are arranged.
    package struct Layout: Hashable, Sendable {
        /// How many items there are.
        package var itemCount: Int
        /// Cells side by side.
        package var columns: Int
        /// Points from the start of a row to that of the next.
        package var rowExtent: Double

        /// An arrangement. Default: one column, a list.
        package init(itemCount: Int, columns: Int = 1, rowExtent: Double) {
            self.itemCount = itemCount
            self.columns = columns
            self.rowExtent = rowExtent
        }

        /// The items that lie between two distances from the list's beginning.
        func items(from start: Double, to end: Double) -> Range<Int> {
            guard itemCount > 0, rowExtent > 0, end > start else { return 0..<0 }
            let columns = max(1, columns)
            let rows = (itemCount - 1) / columns + 1
            func row(_ position: Double) -> Int { Int(min(max(position, 0), Double(rows))) }
            let first = row((start / rowExtent).rounded(.down))
            let last = row((end / rowExtent).rounded(.up))
            let lower = min(first * columns, itemCount)
            return lower..<max(lower, min(last * columns, itemCount))
        }
    }

    /// How far ahead of the screen items are loaded.
    package struct Lookahead: Hashable, Sendable {
        /// Screens ahead of a list at rest. Default: 1.
        package var leastScreens = 1.0
        /// Screens ahead of the fastest list for which anything is. Default: 3.
        package var mostScreens = 3.0
        /// How long before they come into view items are to be loaded. Default: a second.
        package var time = Duration.seconds(1)
        /// Screens a second from which on nothing is loaded ahead. Default: 8; an item is then in view for an eighth of a second.
        package var fastest = 8.0

        /// Defaults.
        package init() {}

        /// Rows to be loaded ahead, not more than 1 000.
        func rows(speed: Double, extent: Double, rowExtent: Double) -> Int {
            guard rowExtent > 0, extent > 0 else { return 0 }
            let screens = abs(speed) / extent
            if screens > fastest { return 0 }
            let ahead = min(max(screens * (time / .seconds(1)), leastScreens), mostScreens)
            return Int(min(max((ahead * extent / rowExtent).rounded(.up), 0), 1_000))
        }
    }

    /// What a movement changes.
    package struct Change: Hashable, Sendable {
        /// The items of which at least a part is on the screen.
        package let visible: Range<Int>
        /// Items to be loaded ahead from now on, the nearest first.
        package internal(set) var start: [Int] = []
        /// Items no longer wanted: they are neither ahead nor on the screen.
        package internal(set) var stop: [Int] = []
    }
}
