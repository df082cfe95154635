#if GTK
import CGTK4
import FirnGTK

/// Actions on files outside of the gallery.
@MainActor
enum FileActions {
    /// Copies files, or an address, to the clipboard.
    static func copy(_ images: [GalleryImage], from widget: Widget) {
        guard let clipboard = gtk_widget_get_clipboard(widget) else { return }
        if let content = DragSource.content(images.compactMap(\.path)) {
            gdk_clipboard_set_content(clipboard, content)
            g_object_unref(content)
        } else {
            gdk_clipboard_set_text(clipboard, images.map(\.source).joined(separator: "\n"))
        }
    }

    /// Lets the user choose a program for the first of some files, and opens all of them with it.
    static func openWith(_ paths: [String], _ window: UnsafeMutablePointer<GtkWindow>) {
        let files = paths.compactMap { g_file_new_for_path($0) }
        guard let first = files.first else { return }
        let dialog: Widget = gtk_app_chooser_dialog_new(window, GTK_DIALOG_MODAL, first)
        SignalClosure.connect(
            dialog.object, "response",
            number: { response in
                defer {
                    for file in files { g_object_unref(UnsafeMutableRawPointer(file)) }
                    gtk_window_destroy(dialog.cast())
                }
                guard Int32(bitPattern: response) == GTK_RESPONSE_OK.rawValue,
                    let program = gtk_app_chooser_get_app_info(OpaquePointer(dialog))
                else { return }
                defer { g_object_unref(UnsafeMutableRawPointer(program)) }
                var list: UnsafeMutablePointer<GList>?
                for file in files.reversed() { list = g_list_prepend(list, UnsafeMutableRawPointer(file)) }
                defer { g_list_free(list) }
                g_app_info_launch(program, list, nil, nil)
            })
        gtk_window_present(dialog.cast())
    }

    /// Shows a file in the file manager, selected if that can be.
    static func showInFolder(_ path: String, _ window: UnsafeMutablePointer<GtkWindow>) {
        guard let address = g_filename_to_uri(path, nil, nil) else { return }
        defer { g_free(address) }
        guard let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil) else {
            return openFolder(of: path, window)
        }
        defer { g_object_unref(UnsafeMutableRawPointer(bus)) }
        var addresses: [UnsafePointer<CChar>?] = [UnsafePointer(address)]
        var parts = [g_variant_new_strv(&addresses, 1), g_variant_new_string("")]
        let result = g_dbus_connection_call_sync(
            bus, "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1",
            "ShowItems", g_variant_new_tuple(&parts, 2), nil, G_DBUS_CALL_FLAGS_NONE, 2_000, nil, nil)
        if let result { g_variant_unref(result) } else { openFolder(of: path, window) }
    }

    private static func openFolder(of path: String, _ window: UnsafeMutablePointer<GtkWindow>) {
        guard let address = GLibText.taken(g_filename_to_uri(PathText.parent(path), nil, nil)) else { return }
        gtk_show_uri(window, address, guint(GDK_CURRENT_TIME))
    }

    /// Lets the user choose a folder.
    static func chooseFolder(_ window: UnsafeMutablePointer<GtkWindow>, _ body: @escaping @MainActor (String) -> Void) {
        let dialog = gtk_file_chooser_native_new(
            tr("Open a Folder"), window, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, tr("_Open"), tr("_Cancel"))
        guard let dialog else { return }
        SignalClosure.connect(
            UnsafeMutableRawPointer(dialog), "response",
            number: { response in
                defer { g_object_unref(UnsafeMutableRawPointer(dialog)) }
                guard Int32(bitPattern: response) == GTK_RESPONSE_ACCEPT.rawValue,
                    let file = gtk_file_chooser_get_file(dialog)
                else { return }
                defer { g_object_unref(UnsafeMutableRawPointer(file)) }
                if let path = GLibText.taken(g_file_get_path(file)) { body(path) }
            })
        gtk_native_dialog_show(UnsafeMutableRawPointer(dialog).assumingMemoryBound(to: GtkNativeDialog.self))
    }
}
#endif
