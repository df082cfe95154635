import Firn

/// A fixed scroll: a stop, a fast jump over 500 items, a stop, a slow part, and back to items that were passed.
@MainActor
final class ReuseScroll {
    /// Seconds to images, and their cost.
    struct Outcome {
        /// From coming to rest to each visible image.
        var stopped: [Double] = []
        /// The same for items that the list had passed before.
        var returned: [Double] = []
        /// From becoming visible to the image, for items that were passed slowly and got their image before they left.
        var passed: [Double] = []
        /// The number of items that were passed slowly.
        var passedItems = 0
        var bytes = 0
        var wrong = 0
    }

    private let list: ReuseList
    private let rowsOnScreen: Double
    private var outcome = Outcome()

    init(_ list: ReuseList, rowsOnScreen: Int) {
        self.list = list
        self.rowsOnScreen = Double(rowsOnScreen)
    }

    /// - Parameters:
    ///   - far: the row after the jump, 500 items on.
    ///   - back: the row to return to, within the range that the jump passed.
    func run(far: Double, back: Double) async -> Outcome {
        list.scroll(to: 0)
        _ = await rest()
        // Too fast for anything to be seen.
        await move(to: far, seconds: 3)
        outcome.stopped = await rest()
        await pass(to: far + rowsOnScreen * 3)
        await move(to: back, seconds: 1.5)
        outcome.returned = await rest()
        outcome.wrong = list.wrong
        return outcome
    }

    private func frame() async { try? await Task.sleep(for: .milliseconds(16)) }

    private func move(to end: Double, seconds: Double, _ look: () -> Void = {}) async {
        let (start, from) = (Stopwatch.wallNow, list.offset)
        while Stopwatch.wallNow - start < seconds {
            let part = (Stopwatch.wallNow - start) / seconds
            list.scroll(to: from + (end - from) * part)
            look()
            await frame()
        }
        list.scroll(to: end)
    }

    /// Scrolls slowly, a screen in 1.5 seconds, and watches the items that become visible.
    private func pass(to end: Double) async {
        var seen: [Int: Double] = [:]
        var there: [Int: Double] = [:]
        let known = Set(list.visible)
        await move(to: end, seconds: 1.5 * (end - list.offset) / rowsOnScreen) {
            let now = Stopwatch.wallNow
            for item in self.list.visible where !known.contains(item) {
                let since = seen[item] ?? now
                seen[item] = since
                if there[item] == nil, self.list.hasImage(item) { there[item] = now - since }
            }
        }
        outcome.passed = Array(there.values)
        outcome.passedItems = seen.count
    }

    /// Waits until all visible images are there, for at most 20 s; returns the seconds to each image.
    private func rest() async -> [Double] {
        let start = Stopwatch.wallNow
        var there: [Int: Double] = [:]
        let items = list.visible
        while there.count < items.count, Stopwatch.wallNow - start < 20 {
            for item in items where there[item] == nil && list.hasImage(item) {
                there[item] = Stopwatch.wallNow - start
            }
            await frame()
        }
        return Array(there.values)
    }
}
