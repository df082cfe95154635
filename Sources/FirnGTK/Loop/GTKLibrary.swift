import CGTK4

/// GTK as a whole.
@MainActor
enum GTKLibrary {
    /// Has GTK ready for making widgets. Quick when it is.
    static func start() {
        if gtk_is_initialized() == 0 { gtk_init() }
    }

    /// Whether the user wants to see things move.
    static func isAnimating(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
        guard let settings = gtk_widget_get_settings(widget) else { return false }
        var value = GValue()
        g_value_init(&value, GType.boolean)
        defer { g_value_unset(&value) }
        g_object_get_property(
            UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), "gtk-enable-animations", &value)
        return g_value_get_boolean(&value) != 0
    }
}
