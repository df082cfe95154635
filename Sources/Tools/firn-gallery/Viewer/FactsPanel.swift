#if GTK
import CGTK4
import Firn

/// The information panel beside an image.
@MainActor
final class FactsPanel {
    let widget: UnsafeMutablePointer<GtkWidget>
    private let label: UnsafeMutablePointer<GtkWidget>

    init() {
        guard let scrolled = gtk_scrolled_window_new(), let label = gtk_label_new("") else {
            fatalError("GTK made no panel")
        }
        widget = scrolled
        self.label = label
        gtk_scrolled_window_set_policy(OpaquePointer(scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), label)
        gtk_widget_set_size_request(scrolled, 260, -1)
        let text = OpaquePointer(label)
        gtk_label_set_wrap(text, 1)
        gtk_label_set_wrap_mode(text, PANGO_WRAP_WORD_CHAR)
        gtk_label_set_max_width_chars(text, 30)
        gtk_label_set_xalign(text, 0)
        gtk_label_set_yalign(text, 0)
        gtk_label_set_selectable(text, 1)
        // Order: a focused label selects its text and takes the keys.
        gtk_widget_set_can_focus(label, 0)
        for set in [
            gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start,
            gtk_widget_set_margin_end,
        ] { set(label, 12) }
    }

    /// Whether it is visible.
    var isShown: Bool {
        get { gtk_widget_get_visible(widget) != 0 }
        set { gtk_widget_set_visible(widget, newValue ? 1 : 0) }
    }

    /// The shown text.
    var text: String { String(cString: gtk_label_get_text(OpaquePointer(label))) }

    func show(_ facts: ImageFacts) {
        let parts = facts.lines.map {
            "<small><b>\(FactsPanel.escaped($0.name))</b></small>\n\(FactsPanel.escaped($0.text))"
        }
        gtk_label_set_markup(OpaquePointer(label), parts.joined(separator: "\n\n"))
    }

    private static func escaped(_ text: String) -> String {
        guard let escaped = g_markup_escape_text(text, -1) else { return "" }
        defer { g_free(escaped) }
        return String(cString: escaped)
    }
}
#endif
