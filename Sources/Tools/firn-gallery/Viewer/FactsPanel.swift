#if GTK
import CGTK4
import FirnGTK

/// The sidebar with information about an image.
@MainActor
final class FactsPanel {
    let widget: Widget = gtk_scrolled_window_new()
    private let histogram: FirnPicture
    private let list: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)
    private var facts = ImageFacts()

    init(context: BindingContext) {
        histogram = FirnPicture(context: context)
        histogram.naturalSize = PixelSize(width: 256, height: 80)
        histogram.cornerRadius = 6
        histogram.alternativeText = tr("Histogram")
        gtk_widget_set_size_request(histogram.widget, -1, 80)
        let box = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 18, [histogram.widget, list])
        box.margin(18)
        gtk_scrolled_window_set_policy(widget.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(widget.opaque, box)
        gtk_widget_set_size_request(widget, 300, -1)
        gtk_widget_add_css_class(widget, "background")
        gtk_widget_set_hexpand(widget, 0)
    }

    /// The shown text.
    var text: String { facts.lines.map { "\($0.name)\n\($0.text)" }.joined(separator: "\n\n") }

    func show(_ facts: ImageFacts) {
        self.facts = facts
        while let child = gtk_widget_get_first_child(list) { gtk_box_remove(list.cast(), child) }
        for line in facts.lines { gtk_box_append(list.cast(), FactsPanel.row(line)) }
        let drawing = facts.histogram?.drawing()
        histogram.widget.isVisible = drawing != nil
        histogram.display(
            drawing.map { DisplayedContent(.image, container: ImageContainer(image: $0), contentMode: .fill) }
                ?? .nothing)
    }

    private static func row(_ line: ImageFacts.Line) -> Widget {
        let name = Widget.text(line.name, classes: ["caption", "dim-label"])
        let text: Widget = gtk_label_new(line.text)
        for label in [name, text] { gtk_label_set_xalign(label.opaque, 0) }
        gtk_label_set_wrap(text.opaque, 1)
        gtk_label_set_wrap_mode(text.opaque, PANGO_WRAP_WORD_CHAR)
        gtk_label_set_max_width_chars(text.opaque, 30)
        gtk_label_set_selectable(text.opaque, 1)
        // Order: a focused label selects its text and takes the keys.
        gtk_widget_set_can_focus(text, 0)
        return .box(GTK_ORIENTATION_VERTICAL, spacing: 3, [name, text])
    }
}
#endif
