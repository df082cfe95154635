/// Computes the visible items of a list or grid and the items to load ahead.
///
/// A value: the caller passes the scroll offset and the time, and receives the items to load before their cells are
/// visible. All cells have the same size; a list is a grid of one column.
///
/// Items ahead are those in the direction of the last movement: one screen at rest, and otherwise those that a second
/// of scrolling passes, up to three screens. If items pass too fast to be seen, nothing is loaded ahead. Loading stops
/// for items that fall behind or are too far ahead.
package struct ViewportTracker: Sendable {
    /// The effects of a movement.
    package struct Change: Hashable, Sendable {
        /// The items that are at least partly visible.
        package let visible: Range<Int>
        /// The items to start loading ahead, nearest first.
        package internal(set) var start: [Int] = []
        /// The items that are no longer visible or ahead.
        package internal(set) var stop: [Int] = []
    }

    // Changes of the arrangement apply at the next ``scroll(to:extent:at:)``.
    package var itemCount: Int
    package var columns: Int
    /// The distance in points from the start of one row to the next.
    package var rowExtent: Double
    package private(set) var visible = 0..<0
    package private(set) var ahead = 0..<0
    /// The speed in points per second, positive toward the end of the list; 0 at rest.
    package private(set) var speed = 0.0

    /// True if items pass too fast for transitions: more than a screen a second.
    package var isFast: Bool { abs(speed) > extent }

    private var offset = 0.0
    private var extent = 0.0
    private var moment: Duration?
    private var isBackwards = false

    /// Creates a tracker of a list at its start, without visible items.
    package init(itemCount: Int, columns: Int, rowExtent: Double) {
        (self.itemCount, self.columns, self.rowExtent) = (itemCount, columns, rowExtent)
    }

    /// Records the scroll offset.
    ///
    /// - Parameters:
    ///   - offset: the distance in points from the start of the list to the visible area.
    ///   - extent: the length of the visible area in points.
    ///   - time: the time of a monotonic clock.
    package mutating func scroll(to offset: Double, extent: Double, at time: Duration) -> Change {
        guard offset.isFinite, extent.isFinite else { return Change(visible: visible) }
        measure(offset, time)
        self.offset = offset
        self.extent = max(0, extent)
        return arrange()
    }

    /// Records that nothing has moved; a list at rest loads the items around the visible area.
    package mutating func rest(at time: Duration) -> Change {
        guard let moment, time - moment >= Self.restTime else { return Change(visible: visible) }
        speed = 0
        return arrange()
    }

    /// Returns the visible share of an item, from 0 to 1.
    package func visibility(of item: Int) -> Double {
        guard visible.contains(item), rowExtent > 0 else { return 0 }
        let start = Double(item / max(1, columns)) * rowExtent - offset
        let shown = min(start + rowExtent, extent) - max(start, 0)
        return min(max(shown / rowExtent, 0), 1)
    }

    /// The time without movement after which the list is at rest.
    private static let restTime = Duration.milliseconds(100)

    private mutating func measure(_ offset: Double, _ time: Duration) {
        defer { moment = time }
        let distance = offset - self.offset
        if distance != 0 { isBackwards = distance < 0 }
        guard let moment, time > moment, time - moment < Self.restTime * 5 else {
            // The first report, or the first after a rest: there is no earlier position.
            return speed = 0
        }
        let seconds = Double((time - moment) / .nanoseconds(1)) / 1e9
        // An average over about 50 ms, because a single frame's distance depends on the frame clock's jitter.
        let share = min(1, seconds / 0.05)
        speed += (distance / seconds - speed) * share
    }

    private mutating func arrange() -> Change {
        let former = ahead
        visible = items(from: offset, to: offset + extent)
        let count = rowsAhead * max(1, columns)
        if isBackwards {
            ahead = max(0, visible.lowerBound - count)..<visible.lowerBound
        } else {
            ahead = visible.upperBound..<max(visible.upperBound, min(itemCount, visible.upperBound + count))
        }
        var change = Change(visible: visible)
        change.start = ahead.filter { !former.contains($0) }
        if isBackwards { change.start.reverse() }
        change.stop = former.filter { !ahead.contains($0) && !visible.contains($0) }
        return change
    }

    /// Returns the items between two distances from the start of the list.
    private func items(from start: Double, to end: Double) -> Range<Int> {
        guard itemCount > 0, rowExtent > 0, end > start else { return 0..<0 }
        let columns = max(1, columns)
        let rows = (itemCount - 1) / columns + 1
        func row(_ position: Double) -> Int { Int(min(max(position, 0), Double(rows))) }
        let first = row((start / rowExtent).rounded(.down))
        let last = row((end / rowExtent).rounded(.up))
        let lower = min(first * columns, itemCount)
        return lower..<max(lower, min(last * columns, itemCount))
    }

    /// The number of rows to load ahead: those that a second of scrolling passes, at least one screen, and at most three
    /// screens and 1,000 rows. At more than eight screens a second, an item is visible for less than an eighth of a
    /// second, and nothing is loaded ahead.
    private var rowsAhead: Int {
        guard rowExtent > 0, extent > 0 else { return 0 }
        let screens = abs(speed) / extent
        if screens > 8 { return 0 }
        return Int(min((min(max(screens, 1), 3) * extent / rowExtent).rounded(.up), 1_000))
    }
}
