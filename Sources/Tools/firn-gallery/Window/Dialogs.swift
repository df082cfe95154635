#if GTK
import CFirnAdwaita
import Firn

/// The About window.
@MainActor
enum AboutWindow {
    static func present(over parent: UnsafeMutablePointer<GtkWindow>) {
        let about: Widget = adw_about_window_new()
        let window = about.opaque
        adw_about_window_set_application_name(window, tr("Gallery"))
        adw_about_window_set_application_icon(window, "firn-gallery")
        adw_about_window_set_developer_name(window, tr("The Firn authors"))
        adw_about_window_set_version(window, FirnVersion.current)
        adw_about_window_set_comments(window, tr("Browse large folders of images without waiting"))
        adw_about_window_set_license_type(window, GTK_LICENSE_MIT_X11)
        gtk_window_set_transient_for(about.cast(), parent)
        gtk_window_present(about.cast())
    }
}

/// The window with the keyboard shortcuts.
@MainActor
enum ShortcutsWindow {
    static func present(over parent: UnsafeMutablePointer<GtkWindow>) {
        let groups = [
            (tr("General"), KeyTable.everywhere), (tr("Grid"), KeyTable.grid), (tr("Large Image"), KeyTable.viewer),
            (tr("Zoomed Image"), KeyTable.zoomed), (tr("Crop"), KeyTable.crop),
        ]
        let body = groups.map { title, lines in
            let rows = lines.map { line in
                object(
                    "GtkShortcutsShortcut",
                    property("title", line.title) + property("accelerator", line.keys.first ?? ""))
            }
            return object("GtkShortcutsGroup", property("title", title) + rows.joined())
        }
        let section = object("GtkShortcutsSection", property("section-name", "keys") + body.joined())
        let text =
            "<interface><object class=\"GtkShortcutsWindow\" id=\"window\">"
            + "<property name=\"modal\">1</property>\(child(section))</object></interface>"
        guard let builder = gtk_builder_new_from_string(text, -1) else { return }
        defer { g_object_unref(UnsafeMutableRawPointer(builder)) }
        guard let object = gtk_builder_get_object(builder, "window") else { return }
        let window = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_transient_for(window, parent)
        gtk_window_present(window)
    }

    private static func object(_ name: String, _ content: String) -> String {
        child("<object class=\"\(name)\">\(content)</object>")
    }

    private static func child(_ content: String) -> String {
        content.hasPrefix("<child>") ? content : "<child>\(content)</child>"
    }

    private static func property(_ name: String, _ value: String) -> String {
        "<property name=\"\(name)\">\(GLibText.string(owning: g_markup_escape_text(value, -1)) ?? "")</property>"
    }
}
#endif
