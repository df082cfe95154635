extension ViewportTracker {
    package struct Layout: Hashable, Sendable {
        package var itemCount: Int
        package var columns: Int
        /// The distance in points from the start of one row to the next.
        package var rowExtent: Double

        /// Creates an arrangement. Default: one column, a list.
        package init(itemCount: Int, columns: Int = 1, rowExtent: Double) {
            self.itemCount = itemCount
            self.columns = columns
            self.rowExtent = rowExtent
        }

        /// Returns the items between two distances from the start of the list.
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

        /// Returns the number of rows to load ahead: those that a second of scrolling passes, at least one screen, and
        /// at most three screens and 1,000 rows. At more than eight screens a second, an item is visible for less than
        /// an eighth of a second, and nothing is loaded ahead.
        func rowsAhead(speed: Double, extent: Double) -> Int {
            guard rowExtent > 0, extent > 0 else { return 0 }
            let screens = abs(speed) / extent
            if screens > 8 { return 0 }
            return Int(min((min(max(screens, 1), 3) * extent / rowExtent).rounded(.up), 1_000))
        }
    }

    /// The effects of a movement.
    package struct Change: Hashable, Sendable {
        /// The items that are at least partly visible.
        package let visible: Range<Int>
        /// The items to start loading ahead, nearest first.
        package internal(set) var start: [Int] = []
        /// The items that are no longer visible or ahead.
        package internal(set) var stop: [Int] = []
    }
}
