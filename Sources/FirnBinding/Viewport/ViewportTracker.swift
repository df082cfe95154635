/// What of a list or a grid is on the screen, what soon will be, and what no longer will be.
///
/// A value: it is told where the list stands and when, and answers which items are worth loading ahead of the cells
/// that will show them. Cells are all of one size; a list is a grid of one column.
///
/// Items ahead are those in the direction of the last movement: a screen of them at rest, and as many as a second of
/// scrolling brings when it is faster, up to three screens. When items pass faster than they could be looked at, nothing
/// is loaded ahead. Items that are behind, or too far ahead, are no longer wanted.
package struct ViewportTracker: Sendable {
    /// How items are arranged. Changing it asks anew at the next ``scroll(to:extent:at:)``.
    package var layout: Layout
    /// How much is loaded ahead.
    package var lookahead: Lookahead
    /// The items of which at least a part is on the screen.
    package private(set) var visible = 0..<0
    /// The items that are loaded ahead.
    package private(set) var ahead = 0..<0
    /// Points a second, positive toward the end of the list; 0 at rest.
    package private(set) var speed = 0.0

    /// Whether items pass faster than transitions are seen: more than a screen a second.
    package var isFast: Bool { abs(speed) > extent }

    private var offset = 0.0
    private var extent = 0.0
    private var moment: Duration?
    private var isBackwards = false

    /// A tracker of a list that stands at its beginning, with nothing on the screen yet.
    package init(layout: Layout, lookahead: Lookahead = Lookahead()) {
        self.layout = layout
        self.lookahead = lookahead
    }

    /// The list stands at `offset`.
    ///
    /// - Parameters:
    ///   - offset: points from the list's beginning to the screen's.
    ///   - extent: the screen's length in points.
    ///   - time: of a clock that never runs backwards.
    package mutating func scroll(to offset: Double, extent: Double, at time: Duration) -> Change {
        guard offset.isFinite, extent.isFinite else { return Change(visible: visible) }
        measure(offset, time)
        self.offset = offset
        self.extent = max(0, extent)
        return arrange()
    }

    /// Time has passed and nothing has moved: a list that has come to rest loads what is around it.
    package mutating func rest(at time: Duration) -> Change {
        guard let moment, time - moment >= Self.restTime else { return Change(visible: visible) }
        speed = 0
        return arrange()
    }

    /// How much of an item is on the screen, from 0 to 1.
    package func visibility(of item: Int) -> Double {
        guard visible.contains(item), layout.rowExtent > 0 else { return 0 }
        let start = Double(item / max(1, layout.columns)) * layout.rowExtent - offset
        let shown = min(start + layout.rowExtent, extent) - max(start, 0)
        return min(max(shown / layout.rowExtent, 0), 1)
    }

    /// No movement for this long is rest.
    private static let restTime = Duration.milliseconds(100)

    private mutating func measure(_ offset: Double, _ time: Duration) {
        defer { moment = time }
        let distance = offset - self.offset
        if distance != 0 { isBackwards = distance < 0 }
        guard let moment, time > moment, time - moment < Self.restTime * 5 else {
            // The first that is heard, or the first after a rest: nothing to measure by.
            speed = 0
            return
        }
        let seconds = Double((time - moment) / .nanoseconds(1)) / 1e9
        // An average over about 50 ms: a single frame's distance is the jitter of the frame clock.
        let share = min(1, seconds / 0.05)
        speed += (distance / seconds - speed) * share
    }

    private mutating func arrange() -> Change {
        let former = ahead
        visible = layout.items(from: offset, to: offset + extent)
        let count = lookahead.rows(speed: speed, extent: extent, rowExtent: layout.rowExtent) * max(1, layout.columns)
        if isBackwards {
            ahead = max(0, visible.lowerBound - count)..<visible.lowerBound
        } else {
            ahead = visible.upperBound..<max(visible.upperBound, min(layout.itemCount, visible.upperBound + count))
        }
        var change = Change(visible: visible)
        change.start = ahead.filter { !former.contains($0) }
        if isBackwards { change.start.reverse() }
        change.stop = former.filter { !ahead.contains($0) && !visible.contains($0) }
        return change
    }
}
