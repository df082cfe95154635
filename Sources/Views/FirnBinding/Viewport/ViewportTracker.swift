/// Computes the visible items of a list or grid and the items to load ahead.
///
/// A value: the caller passes the scroll offset and the time, and receives the items to load before their cells are
/// visible. All cells have the same size; a list is a grid of one column.
///
/// Items ahead are those in the direction of the last movement: one screen at rest, and otherwise those that a second
/// of scrolling passes, up to three screens. If items pass too fast to be seen, nothing is loaded ahead. Loading stops
/// for items that fall behind or are too far ahead.
package struct ViewportTracker: Sendable {
    /// The arrangement. A change applies at the next ``scroll(to:extent:at:)``.
    package var layout: Layout
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
    package init(layout: Layout) { self.layout = layout }

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
        guard visible.contains(item), layout.rowExtent > 0 else { return 0 }
        let start = Double(item / max(1, layout.columns)) * layout.rowExtent - offset
        let shown = min(start + layout.rowExtent, extent) - max(start, 0)
        return min(max(shown / layout.rowExtent, 0), 1)
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
        visible = layout.items(from: offset, to: offset + extent)
        let count = layout.rowsAhead(speed: speed, extent: extent) * max(1, layout.columns)
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
