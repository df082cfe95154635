import FirnBinding
import FirnPipeline
import Testing

@Suite struct ViewportTrackerTests {
    /// 1 000 items, 5 in a row of 100 points; the screen shows 400 points.
    private func tracker(_ count: Int = 1_000) -> ViewportTracker {
        ViewportTracker(itemCount: count, columns: 5, rowExtent: 100)
    }

    /// Scrolls from `start` at `speed` points a second for some frames, sixty a second; returns the final position, the
    /// time and the changes.
    private func scroll(
        _ tracker: inout ViewportTracker, from start: Double, speed: Double, frames: Int, since time: Duration
    ) -> (position: Double, time: Duration, changes: [ViewportTracker.Change]) {
        var (position, now) = (start, time)
        var changes: [ViewportTracker.Change] = []
        for _ in 0..<frames {
            position += speed / 60
            now += .seconds(1) / 60
            changes.append(tracker.scroll(to: position, extent: 400, at: now))
        }
        return (position, now, changes)
    }

    @Test func `At rest a screen is loaded ahead, the nearest first`() {
        var tracker = tracker()
        let change = tracker.scroll(to: 0, extent: 400, at: .zero)
        #expect(change.visible == 0..<20)
        #expect(change.start == Array(20..<40))
        #expect(change.stop.isEmpty)
    }

    @Test func `The visible share of a row is its part on the screen`() {
        var tracker = tracker()
        let change = tracker.scroll(to: 250, extent: 400, at: .zero)
        #expect(change.visible == 10..<35)
        #expect(tracker.visibility(of: 10) == 0.5)
        #expect(tracker.visibility(of: 15) == 1)
        #expect(tracker.visibility(of: 34) == 0.5)
        #expect(tracker.visibility(of: 9) == 0)
        #expect(tracker.visibility(of: 35) == 0)
    }

    @Test func `The faster, the further ahead, up to three screens`() {
        var (slow, fast) = (tracker(10_000), tracker(10_000))
        _ = slow.scroll(to: 0, extent: 400, at: .zero)
        _ = fast.scroll(to: 0, extent: 400, at: .zero)
        _ = scroll(&slow, from: 0, speed: 200, frames: 60, since: .zero)
        _ = scroll(&fast, from: 0, speed: 2_400, frames: 60, since: .zero)
        #expect(slow.ahead.count == 20)
        #expect(fast.ahead.count == 60)
        #expect(abs(fast.speed - 2_400) < 1)
        #expect(fast.ahead.lowerBound == fast.visible.upperBound)
    }

    @Test func `A list is fast when more than a screen passes in a second, and at rest it is not`() {
        var (slow, fast) = (tracker(10_000), tracker(10_000))
        #expect(!slow.isFast)
        _ = slow.scroll(to: 0, extent: 400, at: .zero)
        _ = fast.scroll(to: 4_000, extent: 400, at: .zero)
        _ = scroll(&slow, from: 0, speed: 350, frames: 60, since: .zero)
        let end = scroll(&fast, from: 4_000, speed: -450, frames: 60, since: .zero)
        #expect(!slow.isFast)
        #expect(fast.isFast)
        _ = fast.rest(at: end.time + .milliseconds(150))
        #expect(!fast.isFast)
    }

    @Test func `Items that pass too fast to be seen are not loaded ahead until the list rests`() {
        var tracker = tracker(100_000)
        _ = tracker.scroll(to: 0, extent: 400, at: .zero)
        let end = scroll(&tracker, from: 0, speed: 8_000, frames: 60, since: .zero)
        #expect(tracker.ahead.isEmpty)
        #expect(tracker.rest(at: end.time + .milliseconds(50)).start.isEmpty)
        let change = tracker.rest(at: end.time + .milliseconds(100))
        #expect(change.start == Array(tracker.visible.upperBound..<(tracker.visible.upperBound + 20)))
    }

    @Test func `Reversing stops the items ahead and loads those behind, the nearest first`() {
        var tracker = tracker()
        _ = tracker.scroll(to: 10_000, extent: 400, at: .zero)
        let change = tracker.scroll(to: 9_900, extent: 400, at: .seconds(1))
        #expect(change.visible == 495..<515)
        #expect(change.start == Array((475..<495).reversed()))
        #expect(change.stop == Array(520..<540))
    }

    @Test
    func `Items ahead of a moving list are started exactly once, and passed ones were stopped or visible`() {
        var tracker = tracker(5_000)
        var open = Set(tracker.scroll(to: 0, extent: 400, at: .zero).start)
        var seen: Set<Int> = []
        var (position, now) = (0.0, Duration.zero)
        for (speed, frames) in [(300.0, 40), (3_000, 60), (-500, 30), (9_000, 30), (-2_000, 50), (0, 10)] {
            let end = scroll(&tracker, from: position, speed: speed, frames: frames, since: now)
            (position, now) = (end.position, end.time)
            for change in end.changes {
                seen.formUnion(change.visible)
                #expect(open.isDisjoint(with: change.start), "started twice")
                open.formUnion(change.start)
                #expect(open.isSuperset(of: change.stop), "stopped and not started")
                open.subtract(change.stop)
                // Items that have become visible are loaded by their cells.
                open.subtract(change.visible)
            }
            #expect(open == Set(tracker.ahead))
        }
        #expect(seen.count > 300)
    }

    @Test(arguments: [
        (Double.nan, 400.0, 5), (0, .infinity, 5), (-1e300, 400, 5), (1e300, 400, 5), (0, -5, 5), (0, 400, 0),
        (5, 400, -3),
    ])
    func `Invalid positions and layouts give only existing items`(
        offset: Double, extent: Double, columns: Int
    ) {
        for rowExtent in [100.0, 0, -1, .nan, 1e-300] {
            for count in [0, 1, 7, 1_000] {
                var tracker = ViewportTracker(itemCount: count, columns: columns, rowExtent: rowExtent)
                let change = tracker.scroll(to: offset, extent: extent, at: .zero)
                let items = Array(change.visible) + change.start
                #expect(items.allSatisfy { $0 >= 0 && $0 < count })
            }
        }
    }
}
