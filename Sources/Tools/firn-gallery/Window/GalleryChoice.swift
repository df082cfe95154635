#if GTK
import CGTK4
import FirnGTK

/// A drop-down list.
@MainActor
final class GalleryChoice {
    let widget: UnsafeMutablePointer<GtkWidget>
    /// Called with the index of the selected item.
    var onChoice: ((Int) -> Void)?
    private let count: Int

    init(_ choices: [String], chosen: Int, hint: String) {
        let strings = gtk_string_list_new(nil)
        for choice in choices { gtk_string_list_append(strings, choice) }
        guard let widget = gtk_drop_down_new(strings, nil) else { fatalError("GTK made no drop-down list") }
        self.widget = widget
        count = choices.count
        gtk_drop_down_set_selected(OpaquePointer(widget), guint(chosen))
        gtk_widget_set_tooltip_text(widget, hint)
        // Order: the widget's handler retains it, so that it lives as long as the widget.
        SignalClosure.connect(
            UnsafeMutableRawPointer(widget), "notify::selected", object: { _ in self.selectionChanged() })
    }

    /// Selects the next item, after the last the first.
    func next() {
        gtk_drop_down_set_selected(OpaquePointer(widget), guint((place + 1) % max(1, count)))
    }

    private var place: Int { Int(gtk_drop_down_get_selected(OpaquePointer(widget))) }

    private func selectionChanged() {
        if (0..<count).contains(place) { onChoice?(place) }
    }
}
#endif
