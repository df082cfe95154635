import Firn

/// A scroll, always the same: a stop, a fast jump over 500 items, a stop, a slow part, and back to what was passed.
@MainActor
final class ReuseScroll {
    /// Seconds to images, and what they cost.
    struct Outcome {
        /// From coming to rest to each of the images on the screen.
        var stopped: [Double] = []
        /// The same where the list had passed before.
        var returned: [Double] = []
        /// From coming into view to the image, for items that were passed slowly and had theirs before they left.
        var passed: [Double] = []
        /// Items that were passed slowly.
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
    ///   - back: the row to which it goes back, within what was jumped over.
    func run(far: Double, back: Double) async -> Outcome {
        list.scroll(to: 0)
        _ = await rest()
        // So fast that nobody sees anything.
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

    /// Slowly, a screen in a second and a half: what comes into view is looked at.
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

    /// Waits until all on the screen is there, or for 20 s; seconds to each image.
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
