#if GTK
import CGTK4
import FirnGTK
import FirnImage
import FirnPipeline

/// A scrolled grid of numbered images.
@MainActor
final class SceneGrid {
    let list: FirnImageList<Int>
    private let store: SceneCells

    init(_ loading: SceneLoading, count: Int, columns: Int, cell: Int) {
        let store = SceneCells()
        self.store = store
        list = FirnImageList(
            Array(0..<count), columns: columns, cellSize: PixelSize(cell), context: loading.context,
            didBind: { image, number in store.show(number, in: image.widget) },
            request: { loading.request($0) })
    }

    var scrolled: UnsafeMutablePointer<GtkWidget> { list.widget }
    var factory: ImageListFactory { list.factory }
    var scroll: ImageListScroll { list.scroll }

    func jump(to offset: Double) {
        gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled)), offset)
    }

    /// Returns the number that each visible cell shows, beside the number that it should show.
    private func look(in window: SceneWindow) -> [(wanted: Int, seen: Int?)] {
        guard let shot = window.shot() else { return [] }
        var found: [(Int, Int?)] = []
        for (widget, number) in store.numbers where gtk_widget_get_mapped(widget) != 0 {
            var bounds = graphene_rect_t()
            guard gtk_widget_compute_bounds(widget, window.widget, &bounds) != 0 else { continue }
            let (top, height) = (Int(bounds.origin.y), Int(bounds.size.height))
            // Only cells whose middle is visible can be read.
            guard top + height / 2 > 2, top + height / 2 < shot.height - 2, height > 0 else { continue }
            found.append((number, shot.number(of: widget, in: window)))
        }
        return found
    }

    /// Returns the cells that show another image than their own.
    func wrong(in window: SceneWindow) -> [String] {
        look(in: window).compactMap { wanted, seen in
            seen.flatMap { $0 == wanted ? nil : "\($0) instead of \(wanted)" }
        }
    }

    /// Returns the visible numbers as text.
    func description(in window: SceneWindow) -> String {
        look(in: window).sorted { $0.wanted < $1.wanted }.map { "\($0.wanted):\($0.seen.map { "\($0)" } ?? "-")" }
            .joined(separator: " ")
    }

    /// Returns whether there are visible cells and each shows its own image.
    func isComplete(in window: SceneWindow) -> Bool {
        let cells = look(in: window)
        return cells.count >= 12 && cells.allSatisfy { $0.wanted == $0.seen }
    }
}

/// Maps each cell to its number. Holds the cells, since GTK may destroy a cell at any time.
@MainActor
final class SceneCells {
    private(set) var numbers: [UnsafeMutablePointer<GtkWidget>: Int] = [:]

    func show(_ number: Int, in cell: UnsafeMutablePointer<GtkWidget>) {
        if numbers.updateValue(number, forKey: cell) == nil { g_object_ref(UnsafeMutableRawPointer(cell)) }
    }

    isolated deinit {
        for cell in numbers.keys { g_object_unref(UnsafeMutableRawPointer(cell)) }
    }
}
#endif
