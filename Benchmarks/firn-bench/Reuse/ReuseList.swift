import Firn
import FirnBinding

/// A list without a toolkit that reuses its cells as GTK's grid does: the visible items are bound, and a screen more on
/// both sides.
@MainActor
final class ReuseList {
    let context: BindingContext
    private let count: Int
    private let columns: Int
    private let rowsOnScreen: Int
    private var bound: [Int: ReuseCell] = [:]
    private var free: [ReuseCell] = []
    /// The first visible row, with a fraction.
    private(set) var offset = 0.0
    private(set) var wrong = 0

    init(context: BindingContext, count: Int, columns: Int, rowsOnScreen: Int) {
        self.context = context
        self.count = count
        self.columns = columns
        self.rowsOnScreen = rowsOnScreen
    }

    static func url(_ item: Int) -> String { "https://example.org/\(item)" }

    /// The items that are at least partly visible.
    var visible: Range<Int> { items(from: offset, to: offset + Double(rowsOnScreen)) }

    private func items(from start: Double, to end: Double) -> Range<Int> {
        let first = max(0, Int(start.rounded(.down))) * columns
        return first..<max(first, min(count, max(0, Int(end.rounded(.up))) * columns))
    }

    /// Scrolls the list to a row: unbinds and rebinds cells.
    func scroll(to row: Double) {
        offset = row
        let wanted = items(from: row - Double(rowsOnScreen), to: row + Double(2 * rowsOnScreen))
        for (item, cell) in bound where !wanted.contains(item) {
            cell.binding.prepareForReuse()
            bound[item] = nil
            free.append(cell)
        }
        let visible = visible
        for item in wanted {
            let cell = bound[item] ?? free.popLast() ?? ReuseCell(context: context)
            cell.binding.visibility = visible.contains(item) ? 1 : 0
            guard bound[item] == nil else { continue }
            bound[item] = cell
            cell.binding.load(ImageRequest(url: ReuseList.url(item)))
        }
        wrong += visible.count { item in
            guard let shown = bound[item]?.shownNumber else { return false }
            return shown != item % ReuseImages.count
        }
    }

    func hasImage(_ item: Int) -> Bool { bound[item]?.shownNumber == item % ReuseImages.count }
}
