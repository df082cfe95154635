#if GTK
import CGTK4
import FirnGTK
import FirnImage
import FirnPipeline

/// A scrolled grid of numbered images.
@MainActor
final class SceneGrid {
    let scrolled: UnsafeMutablePointer<GtkWidget>
    let factory: ImageListFactory
    let scroll: ImageListScroll
    private let store: SceneCells

    init(_ loading: SceneLoading, count: Int, columns: Int, cell: Int) {
        let strings = gtk_string_list_new(nil)
        for number in 0..<count { gtk_string_list_append(strings, "\(number)") }
        let model = gtk_no_selection_new(strings)
        factory = ImageListFactory(context: loading.context) { item in
            Int(item.string).map { loading.request($0) }
        }
        factory.cellSize = PixelSize(width: cell, height: cell)
        let store = SceneCells()
        self.store = store
        factory.didBind = { image, item in store.show(item.position, in: image.widget) }
        g_object_ref(UnsafeMutableRawPointer(factory.pointer))
        guard let view = gtk_grid_view_new(model, factory.pointer),
            let scrolled = gtk_scrolled_window_new()
        else { fatalError("GTK made no grid") }
        gtk_grid_view_set_min_columns(OpaquePointer(view), guint(columns))
        gtk_grid_view_set_max_columns(OpaquePointer(view), guint(columns))
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), view)
        self.scrolled = scrolled
        scroll = ImageListScroll(of: factory, in: scrolled, itemCount: count, columns: columns) {
            loading.request($0)
        }
    }

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

    /// Whether there are visible cells and each shows its own image.
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
