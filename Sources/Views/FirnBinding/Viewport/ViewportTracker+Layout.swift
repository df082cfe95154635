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
    }

    /// The distance from the visible items at which others are loaded.
    package struct Lookahead: Hashable, Sendable {
        /// The screens ahead of a list at rest. Default: 1.
        package var minimumScreens = 1.0
        /// The most screens ahead, for a fast list. Default: 3.
        package var maximumScreens = 3.0
        /// The time before items become visible at which they should be loaded. Default: a second.
        package var time = Duration.seconds(1)
        /// The speed in screens a second above which nothing is loaded ahead. Default: 8; an item is then visible for
        /// an eighth of a second.
        package var fastest = 8.0

        package init() {}

        /// Returns the rows to load ahead, at most 1,000.
        func rows(speed: Double, extent: Double, rowExtent: Double) -> Int {
            guard rowExtent > 0, extent > 0 else { return 0 }
            let screens = abs(speed) / extent
            if screens > fastest { return 0 }
            let ahead = min(max(screens * (time / .seconds(1)), minimumScreens), maximumScreens)
            return Int(min(max((ahead * extent / rowExtent).rounded(.up), 0), 1_000))
        }
    }

    /// The effects of a movement.
    package struct Change: Hashable, Sendable {
        /// The items that are at least partly visible.
        package let visible: Range<Int>
        /// The items to load ahead from now on, the nearest first.
        package internal(set) var start: [Int] = []
        /// The items that are no longer ahead or visible.
        package internal(set) var stop: [Int] = []
    }
}
