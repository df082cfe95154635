#if GTK
import CGTK4
import FirnGTK

/// The bar below the grid while several images are selected: their number, and what can be done with them.
@MainActor
final class SelectionBar {
    let widget: Widget = gtk_action_bar_new()
    private let count = Widget.text("", classes: ["heading"])

    init() {
        let bar = widget.opaque
        gtk_action_bar_pack_start(bar, .button("edit-copy-symbolic", tr("Copy"), action: "win.copy"))
        gtk_action_bar_pack_start(bar, .button("user-trash-symbolic", tr("Move to the trash"), action: "win.trash"))
        gtk_action_bar_set_center_widget(bar, count)
        let leave = Widget.button(text: tr("_Cancel"), action: "win.unselect")
        leave.label(tr("Select Nothing"))
        gtk_action_bar_pack_end(bar, leave)
        gtk_action_bar_set_revealed(bar, 0)
    }

    /// The text of the bar; empty while it is hidden.
    var text: String {
        gtk_action_bar_get_revealed(widget.opaque) != 0 ? String(cString: gtk_label_get_text(count.opaque)) : ""
    }

    /// Shows the number of selected images. One alone is just the current one, for which there is no bar.
    func show(_ selected: Int) {
        let isShown = selected > 1
        // The text stays while the bar slides away.
        if isShown { gtk_label_set_text(count.opaque, tr("%1 selected", "%1 selected", count: selected)) }
        gtk_action_bar_set_revealed(widget.opaque, isShown ? 1 : 0)
    }
}
#endif
