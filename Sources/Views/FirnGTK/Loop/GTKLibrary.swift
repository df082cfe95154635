#if GTK
package import CGTK4

/// Functions of GTK as a whole.
@MainActor
package enum GTKLibrary {
    /// Initializes GTK unless it is initialized.
    static func start() {
        if gtk_is_initialized() == 0 { gtk_init() }
    }

    /// Returns whether the user's settings allow animations.
    package static func isAnimating(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
        guard let settings = gtk_widget_get_settings(widget) else { return false }
        var value = GValue()
        g_value_init(&value, GType.boolean)
        defer { g_value_unset(&value) }
        g_object_get_property(
            UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), "gtk-enable-animations", &value)
        return g_value_get_boolean(&value) != 0
    }
}
#endif
