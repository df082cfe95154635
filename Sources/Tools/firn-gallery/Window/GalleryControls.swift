#if GTK
import CGTK4
import Firn
import FirnGTK

/// Controls that need several C calls.
@MainActor
enum GalleryControls {
    static func dropDown(_ choices: [String]) -> UnsafeMutablePointer<GtkWidget>? {
        let strings = gtk_string_list_new(nil)
        for choice in choices { gtk_string_list_append(strings, choice) }
        return gtk_drop_down_new(strings, nil)
    }

    /// Calls `body` with each pressed key and whether Control is held; `true` consumes the key.
    static func onKey(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor (UInt32, Bool) -> Bool) {
        guard let controller = gtk_event_controller_key_new() else { return }
        gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE)
        SignalClosure.connectKey(UnsafeMutableRawPointer(controller), "key-pressed", body)
        gtk_widget_add_controller(widget, controller)
    }

    /// Lets the user choose a folder.
    static func chooseFolder(_ window: UnsafeMutablePointer<GtkWindow>, _ body: @escaping @MainActor (String) -> Void) {
        let dialog = gtk_file_chooser_native_new(
            "Open a folder", window, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, "Open", "Cancel")
        guard let dialog else { return }
        SignalClosure.connect(
            UnsafeMutableRawPointer(dialog), "response",
            number: { response in
                defer { g_object_unref(UnsafeMutableRawPointer(dialog)) }
                guard Int32(bitPattern: UInt32(truncatingIfNeeded: response)) == GTK_RESPONSE_ACCEPT.rawValue,
                    let file = gtk_file_chooser_get_file(dialog)
                else { return }
                defer { g_object_unref(UnsafeMutableRawPointer(file)) }
                guard let path = g_file_get_path(file) else { return }
                body(String(cString: path))
                g_free(path)
            })
        gtk_native_dialog_show(UnsafeMutableRawPointer(dialog).assumingMemoryBound(to: GtkNativeDialog.self))
    }

    /// Switches between light and dark.
    static func toggleDark() {
        guard let settings = gtk_settings_get_default() else { return }
        let object = UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self)
        var value = GValue()
        // G_TYPE_BOOLEAN, which is a macro.
        g_value_init(&value, GType(5 << 2))
        defer { g_value_unset(&value) }
        g_object_get_property(object, "gtk-application-prefer-dark-theme", &value)
        g_value_set_boolean(&value, g_value_get_boolean(&value) == 0 ? 1 : 0)
        g_object_set_property(object, "gtk-application-prefer-dark-theme", &value)
    }
}
#endif
